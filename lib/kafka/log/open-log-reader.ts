import type { Failure } from "@/lib/observed/observation";
import type { KafkaConnection } from "../connection";
import { logEnds } from "../requests";
import { FetchGate } from "./fetch-gate";
import { newest, recordAt } from "./find-record";
import { answersOf, type LogSource, offsetsOf } from "./log-offsets";
import type { LogReader, TimedOffset } from "./log-reader";
import { readRange } from "./read-range";
import { openTopicMap } from "./topic-map";

/** How long a read tries again while leaders move or brokers start again. */
const PATIENCE_MS = 30_000;

/** Opens nothing yet: the connection does, when first asked. `patienceMs`: how long to wait for what may heal by itself. */
export function openLogReader(k: KafkaConnection, patienceMs: number = PATIENCE_MS): LogReader {
  const topics = openTopicMap(k);
  const source: LogSource = { k, topics, gate: new FetchGate(), patienceMs };
  return {
    describe: (names) => topics.describe(names),
    ends(partitions, end) {
      const timestamp = end === "earliest" ? logEnds.earliest : logEnds.latest;
      const questions = partitions.map(({ topic, partition }) => ({ topic, partition, timestamp }));
      return offsetsOf(source, questions, end === "last-stable" ? "read_committed" : "read_uncommitted");
    },
    async offsetsForTime(partitions) {
      const questions = partitions.map(({ topic, partition, timestamp }) => ({
        topic,
        partition,
        // Below 0 the protocol means the ends.
        timestamp: BigInt(Math.max(0, Math.ceil(timestamp))),
      }));
      const answers = await answersOf(source, questions, "read_uncommitted");
      return answers.map((answer): TimedOffset | null | Failure =>
        "offset" in answer && answer.offset === -1 ? null : answer,
      );
    },
    recordAt: (partition, offset, isolation) => recordAt(source, partition, offset, isolation),
    newest: (partition, isolation) => newest(source, partition, isolation),
    read: (range) => readRange(source, range),
  };
}
