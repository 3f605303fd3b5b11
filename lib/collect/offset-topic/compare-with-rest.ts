import type { StoredOffsets } from "@/lib/observed/connector";
import type { Failure, Look } from "@/lib/observed/observation";
import { inTurn } from "../in-turn";
import type { CommitMemory } from "./commit-memory";

/** With exactly-once on, each answer costs the worker a read of its whole offset topic: few, and few at a time. */
const SAMPLE = { known: 8, others: 2 };
const AT_ONCE = 2;
/** An answer and the read after it can miss each other when a connector commits very often. */
const TRIES = 3;

type Offsets = StoredOffsets["offsets"];

/** A connector and the topics its commits are read from, its own first. */
export interface TopicsOf {
  connector: string;
  topics: readonly string[];
}

export type Comparison =
  | { agrees: true }
  /** What one of them has and the other does not, in words. */
  | { contradiction: string }
  /** REST could not be asked. */
  | { failure: Failure };

/**
 * Compares what offset topics say with what Connect answers, for a sample of the connectors.
 * @param readOn reads the topics to their ends once more, and says why it could not
 */
export async function compareWithRest(
  connectors: readonly TopicsOf[],
  memory: CommitMemory,
  readOffsets: (connector: string) => Promise<Look<StoredOffsets>>,
  readOn: () => Promise<Failure | null>,
): Promise<Comparison> {
  let found: string | null = null;
  for (let tries = 0; tries < TRIES; tries++) {
    const sample = sampleOf(connectors, memory);
    const answers = await inTurn(sample, AT_ONCE, async (one) => ({
      ...one,
      look: await readOffsets(one.connector),
    }));
    const answered = answers.flatMap(({ look, ...one }) =>
      look.failure === undefined ? [{ ...one, rest: look.value.offsets }] : [],
    );
    const failure = answers.find((a) => a.look.failure !== undefined)?.look.failure;
    if (failure && answered.length === 0)
      return cannotTell.has(failure.kind) ? { agrees: true } : { failure };
    const notRead = await readOn();
    if (notRead) return { failure: notRead };
    found = answered.map((one) => contradiction(one, memory)).find((words) => words !== null) ?? null;
    if (found === null) return { agrees: true };
  }
  return { contradiction: found ?? "" };
}

/** Connect's version or its access rules: nothing will ever be there to compare with. */
const cannotTell: ReadonlySet<Failure["kind"]> = new Set(["not-supported", "forbidden"]);

/** Connectors that the topics know, and some that they do not. */
function sampleOf(connectors: readonly TopicsOf[], memory: CommitMemory) {
  const all = connectors.map((one) => ({ ...one, before: memory.of(one.connector, one.topics).offsets }));
  return [
    ...all.filter((one) => one.before.length > 0).slice(0, SAMPLE.known),
    ...all.filter((one) => one.before.length === 0).slice(0, SAMPLE.others),
  ];
}

/** `before`: as the topics told before REST was asked. They have been read on since: what it answered must be in them. */
function contradiction(
  { connector, topics, before, rest }: TopicsOf & { before: Offsets; rest: Offsets },
  memory: CommitMemory,
): string | null {
  const { history, offsets } = memory.of(connector, topics);
  for (const { partition, offset } of rest) {
    const commits = history.partitions.find((p) => p.partition === partition)?.commits ?? [];
    const isNewest = offsets.some((o) => o.partition === partition && o.offset === offset);
    if (!isNewest && !commits.some((commit) => commit.offset === offset))
      return `Connect gives an offset of ${connector} for ${partition} that is not in it`;
  }
  // With a topic of its own, whether Connect looks at the workers' for what that lacks depends on its version.
  if (topics.length > 1) return null;
  const answered = new Set(rest.map((r) => r.partition));
  const stillThere = new Set(offsets.map((o) => o.partition));
  const extra = before.find((b) => !answered.has(b.partition) && stillThere.has(b.partition));
  return extra
    ? `it holds an offset of ${connector} for ${extra.partition} that Connect does not know`
    : null;
}
