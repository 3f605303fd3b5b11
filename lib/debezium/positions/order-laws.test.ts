import fc from "fast-check";
import { describe, test } from "vitest";
import type { JsonObject } from "../json";
import { mariadb } from "./mariadb";
import { mysql } from "./mysql";
import type { PositionKind } from "./position";
import { postgresql } from "./postgresql";
import { expectPartialOrder, expectTotalOrder } from "./testing/order-laws";

const n = fc.integer({ min: 0, max: 3 });

function offsetOf<P>(kind: PositionKind<P>, map: JsonObject): P {
  const { position } = kind.decodeOffset(map);
  if (position === null) throw new Error("no position");
  return position;
}

describe("order of offsets", () => {
  test("of PostgreSQL is total", () => {
    const types = fc.constantFrom("BEGIN", "COMMIT", "INSERT", "UPDATE");
    const any = fc
      .tuple(n, fc.option(n), types, n)
      .map(([lsn, commit, messageType, sent]) =>
        offsetOf(postgresql, { lsn, lsn_commit: commit, messageType, lsn_events_processed: sent }),
      );
    expectTotalOrder(postgresql, any);
  });

  const at = fc.tuple(n, n, n).map(([pos, event, row]) => ({ file: "b.1", pos, event, row, server_id: 1 }));

  test("of MySQL goes as far as its GTID sets cover each other", () => {
    const sources = ["8a94f357-aab4-11df-86ab-c80aa9429562", "0d9f3c11-aab4-11df-86ab-c80aa9429562"];
    const gtids = fc
      .tuple(n, n)
      .map((ends) => ends.flatMap((end, i) => (end === 0 ? [] : [`${sources[i]}:1-${end}`])).join(","));
    const any = fc.tuple(at, gtids).map(([map, set]) => offsetOf(mysql, { ...map, gtids: set }));
    expectPartialOrder(mysql, any);
  });

  test("of MariaDB goes as far as its domains do", () => {
    const gtids = fc.tuple(n, n, n).map(([a, b, server]) => `0-${server}-${a},1-1-${b}`);
    const any = fc.tuple(at, gtids).map(([map, set]) => offsetOf(mariadb, { ...map, gtids: set }));
    expectPartialOrder(mariadb, any);
  });
});
