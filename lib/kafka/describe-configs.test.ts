import { expect, test } from "vitest";
import type { KafkaConnection } from "./connection";
import { describeConfigs } from "./describe-configs";
import { i8, i16, i32, plain } from "./testing/fake-wire";

/** A broker that knows DescribeConfigs up to a version and gives one answer. */
function broker(
  maxVersion: number,
  answer: Buffer,
): { k: KafkaConnection; sent: Buffer[]; versions: number[] } {
  const [sent, versions]: [Buffer[], number[]] = [[], []];
  const k: KafkaConnection = {
    addresses: ["b:9092"],
    ask: async (_node, build) => {
      const call = build({ 32: { minVersion: 0, maxVersion } });
      versions.push(call.request.apiVersion);
      const encoded = (await call.request.encode()) as { buffer: Buffer };
      sent.push(encoded.buffer);
      return call.response.decode(answer);
    },
    learn: () => {},
    giveBack: () => {},
    close: async () => {},
  };
  return { k, sent, versions };
}

const question = Buffer.concat([
  plain.list([
    Buffer.concat([i8(2), plain.text("t"), plain.list([plain.text("cleanup.policy"), plain.text("x")])]),
  ]),
]);
/** Of topic `t`, with error code and entries. */
const answerOf = (entries: readonly Buffer[]) =>
  Buffer.concat([
    i32(0),
    plain.list([Buffer.concat([i16(0), i16(-1), i8(2), plain.text("t"), plain.list(entries)])]),
  ]);
const names = ["cleanup.policy", "x"];

test("since Kafka 1.1 where a value is from is told; synonyms are passed over", async () => {
  const synonym = Buffer.concat([plain.text("log.cleanup.policy"), plain.text("delete"), i8(5)]);
  const entry = (name: string, value: Buffer, source: number) =>
    Buffer.concat([plain.text(name), value, i8(0), i8(source), i8(0), plain.list([synonym])]);
  const entries = [entry("cleanup.policy", plain.text("compact"), 1), entry("x", i16(-1), 5)];
  const { k, sent, versions } = broker(4, answerOf(entries));
  expect(await describeConfigs(k, ["t"], names)).toEqual([
    {
      topic: "t",
      errorCode: 0,
      entries: [
        { configName: "cleanup.policy", configValue: "compact", configSource: 1 },
        { configName: "x", configValue: null, configSource: 5 },
      ],
    },
  ]);
  expect([versions, sent]).toEqual([[2], [Buffer.concat([question, i8(0)])]]);
});

test("before it only whether it is the default", async () => {
  const entry = (name: string, isDefault: number) =>
    Buffer.concat([plain.text(name), plain.text("v"), i8(0), i8(isDefault), i8(0)]);
  const { k, sent, versions } = broker(0, answerOf([entry("cleanup.policy", 0), entry("x", 1)]));
  const [described] = await describeConfigs(k, ["t"], names);
  expect(described?.entries.map((e) => e.configSource)).toEqual([-1, 5]);
  expect([versions, sent]).toEqual([[0], [question]]);
});
