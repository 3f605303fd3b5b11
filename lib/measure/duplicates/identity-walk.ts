import { type DeliveredRecord, deliveredOrder } from "@/lib/debezium/events/delivered-record";
import type { Order } from "@/lib/debezium/positions/position";
import { GtidCopies, gtidPlace } from "./gtid-copies";
import { type Copy, OpenReplay, type WalkedReplay } from "./open-replay";
import { type FirstCopy, SeenIdentities } from "./seen-identities";

export type OrderOf = (a: unknown, b: unknown) => Order;

/**
 * What a record was: a change seen for the first time, a copy, one whose identity cannot be told (or that found no room),
 * or no change at all.
 */
export type Sighting = "new" | "copy" | "unknown" | "none";

export interface WalkOptions {
  /** Copies before this offset are remembered and not counted. */
  countFrom: number;
  /** How many identities are remembered at most. */
  limit: number;
  /** Shared by the walks of a topic's partitions, where a change counts as delivered wherever it was. */
  seen?: SeenIdentities;
}

/** One run of one lane. */
interface Run {
  /** Offset of its first change. */
  first: number;
  /** The run that wrote right before this one began, or took its turn again. */
  before: string | null;
  open: OpenReplay | null;
  position: unknown;
  /** How often each identity that changes may share stood at exactly this position. */
  atPosition: Map<string, number> | null;
}

interface Lane {
  runs: Map<string | null, Run>;
  last: { runId: string | null } | null;
}

/**
 * Finds copies along one partition by identity, exactly within what it is given, and what of them is one replay. Takes
 * each record in order of offset. Each run's copies are replays of their own: of two tasks that write side by side each
 * replays by itself. Between two copies of one replay lie non-changes or other runs' changes; a change of the same run
 * that was not seen before ends it.
 */
export class IdentityWalk {
  /** Copies from `countFrom` on. */
  copies = 0;
  /** Changes without an identity from `countFrom` on. */
  unidentified = 0;
  /** Changes that share an identity with one beside them at the same position: taken for different ones. */
  beside = 0;
  /** Changes from `countFrom` on of which it is not certain whether they are copies: {@link GtidCopies}. */
  unsure = 0;
  /** Some identities found no room: copies of those are not seen. */
  full = false;

  readonly #seen: SeenIdentities;
  readonly #lanes = new Map<string, Lane>();
  readonly #gtids = new GtidCopies();
  readonly #replays: OpenReplay[] = [];
  /** The last row of a snapshot, by writer. */
  readonly #snapshots = new Map<string | null, number>();

  /** @param order of one connector type; null: each record's own. */
  constructor(
    private readonly order: OrderOf | null,
    private readonly options: WalkOptions,
  ) {
    this.#seen = options.seen ?? new SeenIdentities(options.limit);
  }

  add(record: DeliveredRecord): Sighting {
    if (record.kind === "snapshot") this.#snapshots.set(record.writer, record.offset);
    if (record.kind !== "change") return "none";
    const lane = this.#lane(record.lane);
    const run = this.#run(lane, record);
    if (lane.last !== null && lane.last.runId !== record.runId) run.before = lane.last.runId;
    const sighting = this.#look(record, run);
    lane.last = record;
    return sighting;
  }

  /** Those found so far, by their first offset. The last ones may go on. */
  replays(): WalkedReplay[] {
    return this.#replays.map((replay) => replay.told()).sort((a, b) => a.firstOffset - b.firstOffset);
  }

  #look(record: DeliveredRecord, run: Run): Sighting {
    const { position: before } = run;
    const identity = this.#identity(record, run);
    const counts = record.offset >= this.options.countFrom;
    if (identity === null) {
      if (counts) this.unidentified += 1;
      run.open?.lacks();
      return "unknown";
    }
    const { copy, unsure, names } = this.#find(record, identity);
    // An earlier stretch can be read after a later one.
    const isFirst = copy === null || (copy.partition === record.partition && record.offset < copy.offset);
    const kept = this.#keep(names, isFirst ? record : copy);
    if (counts && unsure) this.unsure += 1;
    if (copy !== null) {
      if (counts) this.#count(record, { ...copy, unsure }, run, before);
      return "copy";
    }
    run.open = null;
    if (counts && identity !== record.identity) this.beside += 1;
    return kept ? "new" : "unknown";
  }

  /** The first copy, and the names under which this one is kept. */
  #find(record: DeliveredRecord, identity: string) {
    const known = this.#seen.find(identity);
    const place = gtidPlace(record);
    if (place === null) return { copy: known, unsure: false, names: [identity] };
    const { lane, runId, type, position } = record;
    const row = JSON.stringify([record.rowKey, record.op]);
    const { before, isLow, isDoubtful } = this.#gtids.look(
      { lane, runId, type, position, row, place },
      known !== null,
    );
    // A copy by its place has its number already: that of its first copy, which this run's may differ from.
    if (known !== null) return { copy: known, unsure: false, names: [identity] };
    const numbered = JSON.stringify([lane, place.gtid, row, before]);
    const copy = this.#seen.find(numbered);
    return { copy, unsure: copy === null ? isDoubtful : isLow, names: [identity, numbered] };
  }

  /**
   * What is looked for: the identity, and where different changes may share it, which of those at its position this one is.
   * A run that comes to the position again counts from the first.
   */
  #identity(record: DeliveredRecord, run: Run): string | null {
    const { identity, caveat } = record;
    const moved =
      run.atPosition !== null && this.#orderOf(record)(run.position, record.position).order !== "equal";
    if (moved) run.atPosition = null;
    run.position = record.position;
    if (identity === null || caveat === null) return identity;
    run.atPosition ??= new Map();
    const before = run.atPosition.get(identity) ?? 0;
    run.atPosition.set(identity, before + 1);
    return before === 0 ? identity : `${identity}#${before}`;
  }

  #orderOf({ type }: DeliveredRecord): OrderOf {
    return this.order ?? deliveredOrder(type);
  }

  #keep(names: readonly string[], first: FirstCopy): boolean {
    for (const name of names) if (!this.#seen.add(name, first)) this.full = true;
    return !this.full;
  }

  #count(record: DeliveredRecord, copy: Copy, run: Run, before: unknown): void {
    this.copies += 1;
    if (run.open?.goesOn(copy)) run.open.take(record, copy);
    else {
      const ofItsRun = this.#isDoubled(record, copy, run, before);
      const start = { runBefore: ofItsRun ? record.runId : run.before, ofItsRun };
      run.open = new OpenReplay(record, copy, start, this.#snapshots.get(record.writer) ?? -1);
      this.#replays.push(run.open);
    }
    if (this.full) run.open.lacks();
  }

  /**
   * Whether its own run had produced it. What earlier runs wrote comes again in the order of positions, also where a run that
   * was taken for dead wrote it meanwhile: only the producer lets a run go back.
   * @param before the position of its run's change before it
   */
  #isDoubled(record: DeliveredRecord, copy: Copy, { first }: Run, before: unknown): boolean {
    if (copy.partition !== record.partition || copy.offset < first) return false;
    return this.#orderOf(record)(record.position, before).order !== "after";
  }

  #lane(name: string): Lane {
    const known = this.#lanes.get(name);
    if (known) return known;
    const lane: Lane = { runs: new Map(), last: null };
    this.#lanes.set(name, lane);
    return lane;
  }

  #run({ runs }: Lane, { runId, offset }: DeliveredRecord): Run {
    const known = runs.get(runId);
    if (known) return known;
    const run: Run = { first: offset, before: null, open: null, position: null, atPosition: null };
    runs.set(runId, run);
    return run;
  }
}
