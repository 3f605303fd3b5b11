import { expect, test } from "vitest";
import type { ConnectorConfig } from "../config";
import { changePosition } from "./change-position";
import { capturedRecords, record } from "./fixtures/read";
import { readRecord } from "./read-record";
import { recordKey } from "./record-key";

const unwrap: ConnectorConfig = {
  "connector.class": "io.debezium.connector.postgresql.PostgresConnector",
  transforms: "unwrap",
  "transforms.unwrap.type": "io.debezium.transforms.ExtractNewRecordState",
  "transforms.unwrap.add.fields": "op,lsn,source.sequence,txId:TX",
};

function positionsIn(topic: string, config: ConnectorConfig | null = null) {
  return capturedRecords((r) => r.topic === topic).flatMap(({ record }) => {
    const reading = readRecord(record, { topic, config });
    if (reading.kind !== "change" && reading.kind !== "flattened") return [];
    return [changePosition("postgresql", reading, "t", recordKey(record.key))];
  });
}

test("the same change has the same identity flattened or not, with schemas or without", () => {
  const [whole] = positionsIn("sch.public.orders");
  const [flattened] = positionsIn("flat.public.orders", unwrap);
  expect(whole).toMatchObject({
    position: { lsn: 26917760n, txId: 760n, lastCommit: 26917760n },
    problems: [],
  });
  expect(flattened?.position).toEqual(whole?.position);
  expect(whole?.identity).toMatchObject({
    id: JSON.stringify(["760", "26917760", "t", '{"id":100010}', "c"]),
  });
  expect(flattened?.identity).toEqual(whole?.identity);
});

test("a snapshot's read has no identity, and a flattened event without op says so", () => {
  const [read] = positionsIn("shop.public.orders");
  expect(read?.identity).toMatchObject({ id: null });
  const reading = readRecord(record('{"id":1,"__lsn":5}'), { topic: "t" });
  if (reading.kind !== "flattened") throw new Error(reading.kind);
  expect(changePosition("postgresql", reading, "t", null).identity).toEqual({
    id: null,
    why: "The flattened event has no op: add.fields=op is not set.",
  });
});
