import { LogReadError, type LogReader, type TopicPartition } from "@/lib/kafka/log/log-reader";
import type { Failure } from "@/lib/observed/observation";

const failure: Failure = { kind: "timeout", sentence: "no answer in time", remedy: null };

/** A log whose so manieth answer fails, and no other; 0: none. Each batch of a read is an answer. */
export function failingOnce(log: LogReader, at: number): { log: LogReader; answers: () => number } {
  let answers = 0;
  const fails = () => ++answers === at;
  const check = ({ topic, partition }: TopicPartition, offset: number) => {
    if (fails()) throw new LogReadError(failure, { topic, partition, offset });
  };
  const failing: LogReader = {
    describe: async (topics) => (fails() ? { failure } : log.describe(topics)),
    ends: async (asked, end) => (fails() ? asked.map(() => failure) : log.ends(asked, end)),
    offsetsForTime: async (asked) => (fails() ? asked.map(() => failure) : log.offsetsForTime(asked)),
    async recordAt(of, offset, isolation) {
      check(of, offset);
      return log.recordAt(of, offset, isolation);
    },
    async newest(of, isolation) {
      check(of, 0);
      return log.newest(of, isolation);
    },
    async *read(range) {
      const reading = log.read(range);
      for (;;) {
        check(range, range.from);
        const step = await reading.next();
        if (step.done) return step.value;
        yield step.value;
      }
    },
  };
  return { log: failing, answers: () => answers };
}
