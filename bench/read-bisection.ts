// Tidemark's bisection, as `tidemark duplicates` asks for it: replays of one partition, and what was read to find them.
import { deepStrictEqual } from "node:assert";
import { measurePartition } from "@/lib/collect/duplicates/measure-partition";
import { openKafka } from "@/lib/kafka/connection";
import { openLogReader } from "@/lib/kafka/log/open-log-reader";
import type { FoundReplay } from "@/lib/observed/duplicates";
import { measured } from "./measured";
import { replaysAmong, runIdsOf } from "./replays";

const [broker = "", topic = "", events = ""] = process.argv.slice(2);
const kafka = openKafka({
  name: "bench",
  connect: { urls: ["http://127.0.0.1"] },
  kafka: { brokers: [broker], tls: false },
});

/** What must be told of each replay, exactly. */
const told = ({ firstOffset, lastOffset, count, firstCopyOf, runBefore, runAfter }: FoundReplay) => ({
  ...{ firstOffset, lastOffset, count, firstCopyOf, runBefore, runAfter },
});

const expected = replaysAmong(Number(events)).map(({ firstOffset, count }, i) => {
  const [runBefore, runAfter] = runIdsOf(Number(events)).slice(i, i + 2);
  const places = {
    firstOffset,
    lastOffset: firstOffset + count - 1,
    count,
    firstCopyOf: firstOffset - count,
  };
  return { ...places, runBefore, runAfter };
});

await measured(async () => {
  const log = openLogReader(kafka);
  const topics = await log.describe([topic]);
  const described = topics.value?.get(topic);
  const topicId = described && "topicId" in described ? described.topicId : null;
  const { found } = await measurePartition(log, {
    ...{ topic, partition: 0, topicId, from: 0, to: Number(events), carried: null },
    ...{ type: null, config: null, registry: null, starts: [] },
    maxBytes: 32 * 1024 * 1024,
  });
  const { replays, falls, notMeasurable, to, bytesRead, reads } = found;
  deepStrictEqual(
    { replays: replays.map(told), falls, notMeasurable },
    { replays: expected, falls: [], notMeasurable: [] },
  );
  return {
    events: to,
    duplicates: replays.reduce((sum, { count }) => sum + count, 0),
    bytesRead,
    reads,
    exact: replays.filter(({ bound }) => bound === "exact").length,
  };
});
await kafka.close();
