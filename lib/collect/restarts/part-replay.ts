import { runStart } from "@/lib/debezium/events/run-context";
import type { PositionKind } from "@/lib/debezium/positions/position";
import type { LogReader } from "@/lib/kafka/log/log-reader";
import type { InForce } from "@/lib/measure/replay-window/in-force";
import { ReplayCount } from "@/lib/measure/replay-window/replay-count";
import { FallSearch } from "./fall-search";
import { type PartitionLog, RecordsGone } from "./partition-log";
import { type KnownMark, markAt, type Reached, reachedBefore } from "./reached";
import type { RecordFacts } from "./record-facts";
import { firstOfRun } from "./run-start";

/** What one look knows of the run that is measured. */
export interface RunLook {
  /** Null where records bear none: then it is found by where positions fall. */
  runId: string | null;
  /** First offset of this partition that can be the run's: by the time of its start, or the end when it was last seen not to be. */
  from: number;
  /** The next offset to be written as it is now, or where a later run begins. */
  to: number;
  /** A later run has begun: this one writes no more. */
  ended: boolean;
  /** What was committed when the run began; null: not known. */
  atDeath: InForce | null;
  /** What is committed now, if it was committed by this run. */
  now: InForce | null;
  maxBytes: number;
}

/** One partition's part of a replay: found, then counted as far as the run has got. */
export class PartReplay {
  /** Nothing that follows can be part of the replay. */
  over = false;
  /** The run's first record here; null: it has written none yet. */
  first: RecordFacts | null = null;
  /** How far the runs before had got; null: they wrote no change here. Undefined: not looked at yet. */
  reached: Reached | null | undefined = undefined;
  count: ReplayCount | null = null;
  /** Where reading goes on. */
  next = 0;
  /** The end at which this run's commit was first seen to cover everything here. */
  #coveredAt: number | null = null;
  /** The end up to which no record of the run was found. */
  #searched = -1;
  #fall: FallSearch | null = null;

  constructor(
    readonly log: PartitionLog,
    private readonly reader: LogReader,
    private readonly kind: PositionKind<unknown>,
    private readonly known: KnownMark | null,
  ) {}

  /** Where the runs before end in this partition, which are dead: at the first record of this one, or at the end. */
  boundary(to: number): number {
    return this.first?.offset ?? to;
  }

  /** @throws LogReadError when a later look may do better, RecordsGone when none will */
  async look(run: RunLook): Promise<void> {
    if (this.over) return;
    if (run.runId === null) await this.#findByFall(run);
    else await this.#findByRunId(run.runId, run);
    if (this.reached == null) this.over = true;
    else if (this.first === null) this.over = this.#nothingToReplay(run, this.reached);
    else await this.#count(run, this.reached);
  }

  async #findByRunId(runId: string, { from, to }: RunLook): Promise<void> {
    if (this.first === null && to > this.#searched) {
      this.first = await firstOfRun(this.log, runId, from, to);
      this.#searched = to;
      this.next = this.first?.offset ?? 0;
    }
    if (this.reached !== undefined) return;
    const startOf = (id: string) => this.#startOf(id);
    this.reached = await reachedBefore(this.log, this.kind, this.boundary(to), startOf, this.known);
  }

  async #findByFall({ from, to, maxBytes }: RunLook): Promise<void> {
    if (this.first !== null) return;
    this.#fall ??= new FallSearch(this.log, this.kind, from);
    this.first = await this.#fall.look(to, maxBytes);
    this.next = this.first?.offset ?? 0;
    const { top } = this.#fall;
    // What was there when the restart was noticed is all that the run before can have written: what came later is not waited for.
    if (this.reached !== undefined && this.first === null) return;
    const mark = top && (await markAt(this.log, this.kind, top));
    this.reached = mark && { mark, last: top, runs: [] };
  }

  /** Whether another task than the run's writes this partition. */
  isOfAnother(taskId: string | null): boolean {
    const own = this.reached?.last.taskId ?? null;
    return this.first === null && own !== null && taskId !== null && own !== taskId;
  }

  #nothingToReplay(run: RunLook, { mark }: Reached): boolean {
    if (run.ended || this.#covers(run.atDeath, mark.position)) return true;
    if (!this.#covers(run.now, mark.position)) return false;
    // The commit may have been read after the end was: a look at the end after it decides.
    const before = this.#coveredAt;
    this.#coveredAt ??= run.to;
    return before !== null;
  }

  /** Whether the commit that counts for this topic covers a position; false where that is not known. */
  #covers(inForce: InForce | null, position: unknown): boolean {
    const { commit } = inForce?.forTopic(this.log.where.topic) ?? { commit: null };
    const offset = commit && this.kind.decodeOffset(commit.offset).position;
    if (offset === null || inForce?.kind !== "streaming") return false;
    const { order } = this.kind.order(offset, position);
    return order === "equal" || order === "after";
  }

  async #count(run: RunLook, { mark, last }: Reached): Promise<void> {
    this.count ??= new ReplayCount(run.runId, mark, this.kind.order, (id) =>
      isBefore(id, run.runId ?? "", last),
    );
    const { count } = this;
    this.next = await this.log.walk(this.next, run.to, run.maxBytes, (facts) => {
      if (facts.kind === "unreadable")
        throw new RecordsGone(
          `Record ${facts.offset} of ${this.log.name} cannot be measured: ${facts.why ?? "it is no event."}`,
        );
      const { offset, runId, position, identity } = facts;
      count.add(
        facts.kind === "change"
          ? { kind: "change", offset, runId, position, identity }
          : { kind: "none", offset, runId },
      );
      return !count.over && count.fault === null;
    });
    if (count.fault !== null) throw new RecordsGone(count.fault);
    this.over = count.over || (run.ended && this.next >= run.to);
  }

  async #startOf(runId: string): Promise<number | null> {
    const timestamp = runStart(runId);
    if (timestamp === null) return null;
    const [found] = await this.reader.offsetsForTime([{ ...this.log.where, timestamp }]);
    return found && "offset" in found ? found.offset : null;
  }
}

/** By their ids; of those that tell no time, only the run right before is known. */
function isBefore(runId: string, than: string, last: RecordFacts): boolean {
  const [a, b] = [runStart(runId), runStart(than)];
  return runId === last.runId || (a !== null && b !== null && a < b);
}
