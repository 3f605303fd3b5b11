import fc from "fast-check";
import { expect, test } from "vitest";
import type { ConnectorConfig } from "../config";
import { type JsonObject, type JsonValue, stringifyJson } from "../json";
import { readRecord } from "./read-record";
import { recordKey } from "./record-key";
import { runContext } from "./run-context";
import { row } from "./testing/random-events";

const bytes = fc.oneof(
  fc.uint8Array({ maxLength: 40 }),
  fc.json().map((text) => Buffer.from(text)),
  row.map((object) => Buffer.from(stringifyJson(object))),
);
const content = fc.option(bytes);

/** Objects made of the members that records are known by, with values of any type. */
const memberNames = [
  ..."op source before after ts_ms transaction ddl tableChanges position status id event_count data_collections".split(
    " ",
  ),
  ..."type data aggregate_type additional_data specversion iodebeziumop __op __lsn __deleted schema payload state".split(
    " ",
  ),
];
const value = fc.oneof<fc.Arbitrary<JsonValue>[]>(
  row,
  fc.constantFrom<JsonValue>("c", "BEGIN", "log", "1.0", null, 5, true, -1n, 2n ** 64n),
  fc.array(row, { maxLength: 2 }),
);
const lookalike = fc.dictionary(fc.constantFrom(...memberNames), value).map((o): JsonObject => ({ ...o }));

const config = fc.constantFrom<ConnectorConfig | null>(
  null,
  { "topic.prefix": "t", "connector.class": "io.debezium.connector.mysql.MySqlConnector" },
  {
    "topic.prefix": "t",
    "signal.kafka.topic": "t.s",
    transforms: "u, ,x",
    "transforms.u.type": "a.ExtractNewRecordState",
  },
  {
    transforms: "u",
    "transforms.u.type": "a.ExtractNewRecordState",
    "transforms.u.add.fields": ",:,.,a.b.c:d:e,op",
  },
  {
    transforms: "u",
    "transforms.u.type": "a.ExtractNewRecordState",
    "transforms.u.add.fields": `${"$"}{file:x}`,
  },
  { transforms: "o", "transforms.o.type": "io.debezium.transforms.outbox.EventRouter" },
);
const headers = fc.array(
  fc.record({
    name: fc.oneof(fc.constantFrom("id", "__op", "__lsn", "__debezium.context.runId"), fc.string()),
    value: content,
  }),
  { maxLength: 3 },
);

test("any record is read or says why not, and never throws", () => {
  const run = fc.property(
    content,
    fc.oneof(
      content,
      lookalike.map((decoded) => ({ decoded })),
    ),
    headers,
    config,
    fc.constantFrom("t", "t.a", "t.s", "x"),
    (key, value, headers, config, topic) => {
      const reading = readRecord({ key, value, headers }, { topic, config });
      if (reading.kind === "unreadable") expect(reading.text).not.toBe("");
      expect(recordKey(key) === null).toBe(key === null);
      runContext(headers);
    },
  );
  fc.assert(run, { numRuns: 800 });
});
