import type { ConnectorConfig } from "@/lib/debezium/config";
import type { ConnectorType } from "@/lib/debezium/connector-type";
import { stringifyJson } from "@/lib/debezium/json";
import type { LogReader } from "@/lib/kafka/log/log-reader";
import type { SchemaRegistry } from "@/lib/kafka/registry";
import { commitsInForce, type InForce } from "@/lib/measure/replay-window/in-force";
import type { CommitHistory } from "@/lib/observed/commits";
import type { Restart } from "@/lib/observed/window-series";
import type { Database } from "@/lib/store/database";
import { inTurn } from "../in-turn";
import { commitsAt } from "./commits-at";
import { PartReplay } from "./part-replay";
import { mayHeal, PartitionLog, RecordsGone, type Where } from "./partition-log";
import type { KnownMark } from "./reached";
import { recomputeWindow } from "./recompute";
import { factsReader } from "./record-facts";

/** How long a restart is measured before it is given up, milliseconds, and the bytes that are read for it. */
const PATIENCE_MS = 30 * 60_000;
const LOOK_BYTES = 64 * 1024 * 1024;
const RESTART_BYTES = 1024 * 1024 * 1024;
const AT_ONCE = 4;
/** Commits are read beside this: the last one before the run is sure once a later one is known, or after so long. */
const COMMITS_LATE_MS = 30_000;
/** How long commits of before the run are waited for: an offset topic that was not found is looked for again within a minute. */
const COMMITS_PATIENCE_MS = 120_000;

/** A partition of a table's topic as the newest look at the brokers found it. */
export interface PartitionEnd extends Where {
  end: number;
}

/** What restarts are measured with. */
export interface RestartSources {
  log: LogReader;
  db: Database;
  /** For values with a schema's id in front; null: they cannot be read. */
  registry: SchemaRegistry | null;
}

/** What one look at a connector knows. */
export interface ConnectorLook {
  cluster: string;
  connector: string;
  type: ConnectorType;
  config: ConnectorConfig;
  inForce: InForce;
  history: CommitHistory | null;
  partitions: readonly PartitionEnd[];
  now: Date;
}

export const nameOf = ({ topic, partition }: Pick<Where, "topic" | "partition">) => `${topic}/${partition}`;

/** Measures one start of a run: what it cost, and what that would have been by the commit in force before. */
export class RestartMeasure {
  restart: Restart;
  readonly parts = new Map<string, PartReplay>();
  #froms: ReadonlyMap<string, number> | null;
  #taskId: string | null = null;
  /** What was in force when `recomputed` was counted. */
  #recomputedBy: string | null = null;
  #whyNotRecomputed: string | null = null;

  constructor(
    restart: Restart,
    private readonly sources: RestartSources,
    private readonly marks: ReadonlyMap<string, KnownMark>,
    /** Without a run id: next offsets when the run before was last seen to live, by partition. */
    lived: ReadonlyMap<string, number> | null = null,
  ) {
    this.restart = restart;
    this.#froms = lived;
  }

  private get runId(): string | null {
    return this.restart.runAfter;
  }

  /** When the run began, at the latest, milliseconds since 1970. */
  get #began(): number {
    const firsts = [...this.parts.values()].flatMap(({ first }) => first?.timestamp ?? []);
    const noticed = Date.parse(this.restart.at);
    // What is noticed in Connect is noticed late: a record that came again was written by the new run.
    return this.runId === null ? Math.min(noticed, ...firsts) : noticed;
  }

  get open(): boolean {
    return this.restart.state === "measuring";
  }

  /** Whether any run before it wrote a change: else it is a first start. Null: not known yet. */
  get hasBefore(): boolean | null {
    const parts = [...this.parts.values()];
    if (parts.some(({ reached }) => reached)) return true;
    return parts.length > 0 && parts.every(({ reached }) => reached === null) ? false : null;
  }

  /** Goes on measuring. @param next the run that began after this one, if one did */
  async look(seen: ConnectorLook, next: RestartMeasure | null): Promise<void> {
    let trouble: string | null = null;
    try {
      this.#froms ??= await this.#begin(seen);
      const atDeath = await this.#inForceAtDeath(seen);
      trouble = await this.#lookAtParts(seen, atDeath, next);
      if (this.hasBefore) trouble = (await this.#recompute(seen, atDeath)) ?? trouble;
      this.#conclude(trouble, seen);
    } catch (error) {
      if (error instanceof RecordsGone) this.giveUp(error.message);
      else if (mayHeal(error)) trouble = error.failure.sentence;
      else throw error;
    }
    if (this.open && since(this.restart.noticedAt, seen.now) > PATIENCE_MS)
      this.giveUp(
        trouble ?? "After half an hour the new run has still not passed where the runs before it had got to.",
      );
  }

  /** Finds where the run can have begun, by its start's time. A broker that does not answer is asked at the next look. */
  async #begin({ partitions }: ConnectorLook): Promise<Map<string, number> | null> {
    if (this.runId === null)
      throw new RecordsGone(
        "The collector was started again before it was measured, and records bear no run id by which to find the place.",
      );
    const timestamp = Date.parse(this.restart.at);
    const answers = await this.sources.log.offsetsForTime(partitions.map((p) => ({ ...p, timestamp })));
    const froms = new Map<string, number>();
    for (const [i, where] of partitions.entries()) {
      const answer = answers[i];
      if (answer === null) froms.set(nameOf(where), where.end);
      else if (answer && "offset" in answer) froms.set(nameOf(where), answer.offset);
      else return null;
    }
    return froms;
  }

  async #inForceAtDeath({
    cluster,
    connector,
    type,
    config,
    history,
  }: ConnectorLook): Promise<InForce | null> {
    if (history === null) return null;
    const at = await commitsAt(this.sources.db, { cluster, connector }, history, this.#began);
    return at && commitsInForce(type, config, at.offsets, at.history);
  }

  /** Returns what stood in the way of some of them, one sentence; null when nothing did. */
  async #lookAtParts(
    seen: ConnectorLook,
    atDeath: InForce | null,
    next: RestartMeasure | null,
  ): Promise<string | null> {
    if (this.#froms === null) return "The brokers did not tell where the run's first records lie.";
    let trouble: string | null = null;
    let left = LOOK_BYTES;
    const now = this.#committedByRun(seen.inForce);
    await inTurn(seen.partitions, AT_ONCE, async (where) => {
      const name = nameOf(where);
      const part = this.#partOf(where, seen);
      const began = next?.parts.get(name)?.first?.offset;
      const before = part.log.bytes;
      if (left <= 0) trouble = "A look's bytes were used up; the next one reads on.";
      else
        await part
          .look({
            runId: this.runId,
            // Partitions that came later begin with it.
            from: this.#froms?.get(name) ?? 0,
            to: began ?? where.end,
            ended: next !== null,
            atDeath,
            now,
            maxBytes: left,
          })
          .catch((error) => {
            if (!mayHeal(error)) throw error;
            trouble = error.failure.sentence;
          });
      left -= part.log.bytes - before;
    });
    this.#leaveOthers();
    return trouble;
  }

  #partOf(where: PartitionEnd, seen: ConnectorLook): PartReplay {
    const name = nameOf(where);
    const known = this.parts.get(name);
    if (known) return known;
    const { topic, partition, topicId } = where;
    const facts = factsReader(seen.type, seen.config, this.sources.registry);
    const log = new PartitionLog(this.sources.log, facts, { topic, partition, topicId });
    const mark = this.marks.get(name);
    const own = mark?.topicId === topicId ? mark : null;
    const part = new PartReplay(log, this.sources.log, facts.kind, own);
    this.parts.set(name, part);
    return part;
  }

  /** A connector of several tasks has runs side by side: partitions that another task writes are none of this run's. */
  #leaveOthers(): void {
    for (const { first } of this.parts.values()) this.#taskId ??= first?.taskId ?? null;
    for (const part of this.parts.values()) if (part.isOfAnother(this.#taskId)) part.over = true;
  }

  #committedByRun(inForce: InForce): InForce | null {
    const began = this.#began;
    const own = inForce.commits.every(({ committedAt }) => committedAt !== null && committedAt > began);
    return own && inForce.commits.length > 0 ? inForce : null;
  }

  /**
   * Again where an older commit had been taken for the newest before the run: the offset topic is read beside. Returns what
   * stood in the way and may not at the next look, one sentence.
   */
  async #recompute(seen: ConnectorLook, atDeath: InForce | null): Promise<string | null> {
    if (atDeath?.kind === "snapshot")
      throw new RecordsGone(
        "A snapshot was running when the run before ended, and began again: its rows are read once more, which is no replay.",
      );
    if (atDeath === null) {
      this.#whyNotRecomputed = "what was committed when the new run began is not known";
      const mayCome = since(this.restart.noticedAt, seen.now) < COMMITS_PATIENCE_MS;
      return mayCome ? this.#whyNotRecomputed : null;
    }
    if (this.runId === null && ![...this.parts.values()].some(({ first }) => first)) {
      this.#whyNotRecomputed =
        "records bear no run id, and none came again that would show where the new run begins";
      return null;
    }
    const by = stringifyJson(atDeath.commits.map(({ offset }) => offset));
    if (by === this.#recomputedBy) return null;
    const ends = await this.#ends(seen);
    if (ends === null) return "The brokers did not tell where the runs before end.";
    const left = [...this.parts].flatMap(([name, part]) =>
      part.reached && !part.isOfAnother(this.#taskId)
        ? [{ where: part.log.where, to: part.boundary(ends.get(name) ?? 0) }]
        : [],
    );
    const { type, config } = seen;
    const window = await recomputeWindow(this.sources, { type, config, inForce: atDeath }, left);
    this.#whyNotRecomputed = window.why;
    this.restart = { ...this.restart, recomputed: window.events };
    if (window.events !== null || !window.mayHeal) this.#recomputedBy = by;
    else return window.why;
    return null;
  }

  /** Where the runs before end in partitions that the new one has not written to. Null: a broker did not answer. */
  async #ends({ partitions }: ConnectorLook): Promise<Map<string, number> | null> {
    const ends = new Map(partitions.map((where) => [nameOf(where), where.end]));
    if (this.runId !== null) return ends;
    const timestamp = this.#began;
    const answers = await this.sources.log.offsetsForTime(partitions.map((p) => ({ ...p, timestamp })));
    for (const [i, where] of partitions.entries()) {
      const answer = answers[i];
      if (answer === undefined || (answer !== null && !("offset" in answer))) return null;
      if (answer !== null) ends.set(nameOf(where), Math.min(where.end, answer.offset));
    }
    return ends;
  }

  #conclude(trouble: string | null, seen: ConnectorLook): void {
    const parts = [...this.parts.values()];
    const bytes = parts.reduce((sum, { log }) => sum + log.bytes, 0);
    if (bytes > RESTART_BYTES) {
      this.giveUp(`More than ${RESTART_BYTES / 1024 / 1024} MiB would have to be read.`);
      return;
    }
    const before = parts.flatMap(({ reached }) => reached?.last.runId ?? []).sort();
    this.restart = {
      ...this.restart,
      runBefore: before.at(-1) ?? this.restart.runBefore,
      partitions: parts.flatMap(partitionOf),
    };
    if (trouble !== null || this.#froms === null || !parts.every(({ over }) => over)) return;
    if (!this.#knowsCommits(seen)) return;
    const replayed = parts.reduce((sum, { count }) => sum + (count?.count ?? 0), 0);
    const why = this.#whyNotRecomputed;
    this.restart = {
      ...this.restart,
      replayed,
      state: "measured",
      why: why && `The window before it cannot be recomputed: ${why}`,
    };
  }

  #knowsCommits({ history, now }: ConnectorLook): boolean {
    const began = this.#began;
    const later = history?.partitions.some(({ commits }) => Date.parse(commits.at(-1)?.at ?? "") > began);
    return later === true || since(this.restart.noticedAt, now) > COMMITS_LATE_MS;
  }

  giveUp(why: string): void {
    this.restart = { ...this.restart, state: "not-measurable", why };
  }
}

/** Milliseconds from a moment to `now`. */
const since = (at: string, now: Date) => now.getTime() - Date.parse(at);

function partitionOf({ log, count }: PartReplay): Restart["partitions"] {
  if (!count || count.count === 0) return [];
  const { topic, partition } = log.where;
  const { firstOffset, lastOffset } = count;
  return [{ topic, partition, firstOffset, lastOffset, count: count.count }];
}
