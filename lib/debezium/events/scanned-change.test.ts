import { expect, test } from "vitest";
import type { positionKinds } from "../positions/kinds";
import { eventPosition, tableOf } from "../records/event-position";
import { changePosition } from "./change-position";
import { capturedRecords } from "./fixtures/read";
import { readRecord } from "./read-record";
import { scannedChange } from "./scanned-change";

const topic = "shop.public.orders";

test("tells of each captured change what reading it in full tells, whatever came before it", () => {
  let scanned = 0;
  const captured = capturedRecords().map(({ record }) => record);
  for (const record of [...captured, ...captured.toReversed()]) {
    const change = scannedChange(record.value);
    if (change === null) continue;
    scanned += 1;
    const full = readRecord(record, { topic, config: null });
    if (full.kind !== "change") throw new Error(`read in full it is of kind ${full.kind}`);
    expect([change.op, change.snapshot]).toEqual([full.op, full.snapshot]);
    const { connector } = full.source;
    const type = connector as keyof typeof positionKinds;
    expect(changePosition(type, change, topic, "k")).toEqual(changePosition(type, full, topic, "k"));
    expect(eventPosition(type, change.source)).toEqual(eventPosition(type, full.source));
    expect(tableOf(change.source)).toEqual(tableOf(full.source));
    for (const field of ["connector", "name", "db", "schema", "table"])
      expect(change.source[field]).toEqual(full.source[field]);
  }
  expect(scanned).toBeGreaterThan(20);
});
