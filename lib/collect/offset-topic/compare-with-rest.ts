import type { JudgedConnector } from "@/lib/checks/judged";
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

export type Comparison =
  | { agrees: true }
  /** What one of them has and the other does not, in words. */
  | { contradiction: string }
  /** REST could not be asked. */
  | { failure: Failure };

/**
 * Compares what the workers' offset topic says with what Connect answers, for a sample of the connectors.
 * @param connectors those that store their offsets there
 * @param agreed whether it did before: then only what stands still can contradict, as all does in a topic that is no longer used
 * @param readOn reads the topic to its end once more, and says why it could not
 */
export async function compareWithRest(
  {
    topic,
    connectors,
    memory,
    agreed,
  }: { topic: string; connectors: readonly string[]; memory: CommitMemory; agreed: boolean },
  readOffsets: (connector: string) => Promise<Look<StoredOffsets>>,
  readOn: () => Promise<Failure | null>,
): Promise<Comparison> {
  let found: string | null = null;
  for (let tries = 0; tries < TRIES; tries++) {
    const sample = sampleOf(topic, connectors, memory);
    const answers = await inTurn(sample, AT_ONCE, async (one) => ({
      ...one,
      look: await readOffsets(one.connector),
    }));
    const answered = answers.flatMap(({ look, ...one }) =>
      look.failure === undefined ? [{ ...one, rest: look.value.offsets }] : [],
    );
    const failure = answers.find((a) => a.look.failure !== undefined)?.look.failure;
    if (failure && answered.length === 0) return cannotTell(failure) ? { agrees: true } : { failure };
    const notRead = await readOn();
    if (notRead) return { failure: notRead };
    found =
      answered
        .filter((one) => !agreed || standsStill(topic, one, memory))
        .map((one) => lacking(topic, one, memory) ?? unknownToConnect(topic, one, memory))
        .find((words) => words !== null) ?? null;
    if (found === null) return { agrees: true };
  }
  return { contradiction: found ?? "" };
}

/**
 * Compares a connector's own offset topic with what Connect answered last, which costs no question. Null: no answer yet.
 * @param since answers from before it are of no use: the topic may have changed
 */
export function compareWithAnswer(
  topic: string,
  { connector, offsets: answer }: Pick<JudgedConnector, "connector" | "offsets">,
  since: Date,
  memory: CommitMemory,
): Comparison | null {
  if (!answer || answer.triedAt < since) return null;
  if (answer.failure) return cannotTell(answer.failure) ? { agrees: true } : null;
  if (!answer.value || answer.value.from === "topic") return null;
  const words = lacking(topic, { connector, rest: answer.value.offsets }, memory);
  return words === null ? { agrees: true } : { contradiction: words };
}

/** Connect's version or its access rules: nothing will ever be there to compare with. */
const cannotTell = ({ kind }: Failure) => kind === "not-supported" || kind === "forbidden";

/** Connectors that the topic knows, and some that it does not. */
function sampleOf(topic: string, connectors: readonly string[], memory: CommitMemory) {
  const all = connectors.map((connector) => ({ connector, before: memory.of(connector, topic).offsets }));
  return [
    ...all.filter((one) => one.before.length > 0).slice(0, SAMPLE.known),
    ...all.filter((one) => one.before.length === 0).slice(0, SAMPLE.others),
  ];
}

/** Whether nothing of the connector came while REST was asked. */
function standsStill(
  topic: string,
  { connector, before }: { connector: string; before: Offsets },
  memory: CommitMemory,
): boolean {
  const { offsets } = memory.of(connector, topic);
  return offsets === before || (offsets.length === 0 && before.length === 0);
}

/** The topic has been read on since REST answered: what it told must be there. */
function lacking(
  topic: string,
  { connector, rest }: { connector: string; rest: Offsets },
  memory: CommitMemory,
): string | null {
  const { history, offsets } = memory.of(connector, topic);
  const lacks = rest.find(({ partition, offset }) => {
    const commits = history.partitions.find((p) => p.partition === partition)?.commits ?? [];
    const isNewest = offsets.some((o) => o.partition === partition && o.offset === offset);
    return !isNewest && !commits.some((commit) => commit.offset === offset);
  });
  return lacks ? `Connect gives an offset of ${connector} for ${lacks.partition} that is not in it` : null;
}

/** What was in the topic before REST was asked, and is still: REST must have told it. */
function unknownToConnect(
  topic: string,
  { connector, before, rest }: { connector: string; before: Offsets; rest: Offsets },
  memory: CommitMemory,
): string | null {
  const answered = new Set(rest.map((r) => r.partition));
  const stillThere = new Set(memory.of(connector, topic).offsets.map((o) => o.partition));
  const extra = before.find((b) => !answered.has(b.partition) && stillThere.has(b.partition));
  return extra
    ? `it holds an offset of ${connector} for ${extra.partition} that Connect does not know`
    : null;
}
