import { expect, test } from "vitest";
import { positionKinds } from "@/lib/debezium/positions/kinds";
import { edgeRule } from "./coverage-edge";
import { EdgeCount, type EdgeEvent } from "./window-count-edge";

const kind = positionKinds.mariadb;

/** As the lab's MariaDB connector 3.5.0 stored it between the two events of a changed primary key. */
const offset = {
  transaction_id: "0-223344-25459",
  ts_sec: 1796026396,
  file: "binlog.000001",
  pos: 28865564,
  gtids: "0-223344-25458",
  row: 1,
  server_id: 223344,
  event: 2,
  "transaction_data_collection_order_inventory.products": 1,
};

function edges(): EdgeCount {
  const { position } = kind.decodeOffset(offset);
  const rule = edgeRule("mariadb", { partition: { server: "inv" }, offset, committedAt: null }, position);
  if (!rule) throw new Error("the offset stops inside no transaction");
  return new EdgeCount(rule, kind);
}

function event(ordinal: number, pos: number, row: number): EdgeEvent {
  const source = { file: "binlog.000001", pos, row, server_id: 223344, gtid: "0-223344-25459" };
  const { position } = kind.decodeSource(source);
  return {
    of: edges,
    ordinal,
    run: "01a22b71-7cab-7abc-8def-0123456789ab",
    position,
    id: null,
    timestamp: 1_796_026_396_000,
    bytes: 100,
    tombstones: 0,
  };
}

test("the insert of a changed primary key is covered with its delete: the restart skipped their row", () => {
  const count = edges();
  // As seen: after a crash with this offset the connector went on behind both.
  count.add(event(1, 28865749, 0));
  count.add(event(2, 28865749, 0));
  expect(count.resolve()).toMatchObject({ events: 0, note: null });
});

test("the rows behind it are sent again", () => {
  const count = edges();
  for (const [ordinal, pos, row] of [
    [1, 28865749, 0],
    [2, 28865749, 0],
    [3, 28865749, 1],
    [4, 28866115, 0],
  ] as const)
    count.add(event(ordinal, pos, row));
  expect(count.resolve()).toMatchObject({ events: 2, bytes: 200, note: null });
});
