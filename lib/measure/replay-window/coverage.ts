import { type ConnectorConfig, isReference, topicPrefix } from "@/lib/debezium/config";
import type { ConnectorType } from "@/lib/debezium/connector-type";
import type { EventScanner } from "@/lib/debezium/events/event-scanner";
import { KnownBytes } from "@/lib/debezium/events/known-bytes";
import type { Place } from "@/lib/debezium/events/places/place";
import { placesOf } from "@/lib/debezium/events/places/places";
import type { ChangeReading, FlattenedReading } from "@/lib/debezium/events/record-reading";
import { type JsonValue, parseJson, wholeNumber } from "@/lib/debezium/json";
import { isDecoded, positionKinds } from "@/lib/debezium/positions/kinds";
import type { Identity, PositionKind } from "@/lib/debezium/positions/position";
import { snapshotWindow } from "@/lib/debezium/positions/snapshot-window";
import { type CommittedOffset, ownerField, prefixIn, type ReadCommit, readCommit } from "./coverage-commits";
import { type EdgeRule, edgeRule } from "./coverage-edge";
import { type FastIdentity, fastIdentity } from "./coverage-identity";

/**
 * What the committed offset says of one change event:
 * `covered`: a restart would not send it again. `again`: it would. `edge`: it is one of those at the offset's own place
 * that have to be counted ({@link EdgeRule}). `unordered`: `why`. `unplaced`: the event has no position that can be read.
 * And those that are no events here: `foreign` of another connector (`source.name` is not topic.prefix), `re-read` a row
 * of an incremental snapshot, `snapshot-row` one of an initial or blocking snapshot.
 */
export type Covering =
  | "covered"
  | "again"
  | "edge"
  | "unordered"
  | "unplaced"
  | "foreign"
  | "re-read"
  | "snapshot-row";

const letterR = 0x72;

/** What decides about one event, told without its bytes. */
interface Told {
  position: unknown;
  /** Which commit counts, -1 when the event does not tell it. */
  stream: number;
  ordinal(): number;
  transactionId(): string | null;
}

/**
 * Decides for each change event whether the commits in force cover it. The properties speak of the event that was judged
 * last. Reads like the scanner: one serves many events, one after the other.
 */
export class Coverage {
  /** For the scanner: `new EventScanner(coverage.fields)`. */
  readonly fields: readonly string[];
  /** How events at the offset's own place are counted; null when there are none. */
  readonly edge: EdgeRule | null;
  /** An incremental snapshot is running in the offset: rows it read after the commit are read again. */
  readonly reReads: boolean;
  readonly kind: PositionKind<unknown>;

  /** Why it is `unordered` or `unplaced`, or what the decision assumes. */
  why: string | null = null;
  /** Index of the commit that decided; -1 when it was the oldest of several, since the event does not tell whose it is. */
  stream = -1;
  /** Of an `edge`: its number in its transaction, from 1; NaN when it has none. */
  ordinal = Number.NaN;
  /** Of an `edge`: its position, for {@link kind} to order. */
  position: unknown = null;

  readonly #place: Place<unknown>;
  readonly #names: KnownBytes<boolean>;
  readonly #owners: KnownBytes<number>;
  readonly #fastIdentity: FastIdentity | null;
  readonly #nameField: number;
  readonly #timeField: number;
  readonly #ownerField: number;
  readonly #ownerName: string | null;
  /** The scanned event, or the one read in full. */
  readonly #scanned: ScannedEvent;

  /** Through {@link coverageOf}. */
  constructor(
    readonly type: ConnectorType,
    /** topic.prefix; null when it is not known: then no event is foreign. */
    readonly prefix: string | null,
    readonly commits: readonly ReadCommit[],
    edge: EdgeRule | null,
    reReads: boolean,
  ) {
    const places = placesOf(type);
    this.kind = positionKinds[type];
    this.edge = edge;
    this.reReads = reReads;
    this.#ownerName = commits.length > 1 || type === "spanner" ? ownerField(type) : null;
    const more = ["name", "ts_ms", ...(this.#ownerName === null ? [] : [this.#ownerName])];
    // The scanner takes each once.
    this.fields = [...new Set([...places.fields, ...more])];
    this.#nameField = this.fields.indexOf("name");
    this.#timeField = this.fields.indexOf("ts_ms");
    this.#ownerField = this.fields.indexOf(this.#ownerName ?? "");
    this.#fastIdentity = fastIdentity(type, this.fields);
    this.#place = places.create();
    this.#names = new KnownBytes(16, (bytes) => prefix === null || textOf(bytes) === prefix);
    this.#owners = new KnownBytes(256, (bytes) => this.#streamNamed(textOf(bytes)));
    this.#scanned = new ScannedEvent();
  }

  /** Whether a field of `source` must be found to know which commit counts. */
  get several(): boolean {
    return this.commits.length > 1;
  }

  /**
   * Judges the event that was just scanned as `change`. Fast where `passed` may be given: one byte for each commit, set
   * once an event is `again`. Within one run of a task whatever follows in the same partition is so too, since a restart
   * goes on behind one place of what the run had sent.
   */
  judge(scanner: EventScanner, passed: Uint8Array | null): Covering {
    if (!this.#isOwn(scanner)) return "foreign";
    const { snapshot } = scanner;
    if (snapshot !== null || scanner.op === letterR)
      return snapshot === "incremental" ? "re-read" : "snapshot-row";
    const stream = this.#streamOf(scanner);
    if (passed !== null && stream >= 0 && passed[stream] === 1) {
      this.stream = stream;
      return "again";
    }
    if (!this.#place.read(scanner)) return this.#unplaced("The event has no position that can be read.");
    this.#scanned.take(scanner, stream, this.#place.position());
    return this.#mark(this.#decide(this.#scanned), passed);
  }

  /** Judges an event that was read in full. */
  judgeReading(reading: ChangeReading | FlattenedReading, passed: Uint8Array | null): Covering {
    const { source, snapshot, op, transaction } = reading;
    if (this.prefix !== null && typeof source.name === "string" && source.name !== this.prefix)
      return "foreign";
    if (snapshot !== null || op === "r") return snapshot === "incremental" ? "re-read" : "snapshot-row";
    const { position, problems } = this.kind.decodeSource(source);
    if (position === null) return this.#unplaced(problems[0]?.text ?? "The event has no position.");
    const told: Told = {
      position,
      stream: this.#ownerName === null ? this.#onlyStream() : this.#streamNamed(source[this.#ownerName]),
      ordinal: () => Number(wholeNumber(transaction?.total_order) ?? Number.NaN),
      transactionId: () => (typeof transaction?.id === "string" ? transaction.id : null),
    };
    return this.#mark(this.#decide(told), passed);
  }

  /** When the source made the scanned change, in milliseconds since 1970; null when it does not tell. */
  madeAt(scanner: EventScanner): number | null {
    const millis = scanner.number(this.#timeField);
    return millis > 0 ? millis : null;
  }

  madeAtOfReading({ source }: ChangeReading | FlattenedReading): number | null {
    const millis = Number(wholeNumber(source.ts_ms) ?? 0n);
    return millis > 0 ? millis : null;
  }

  /** What makes the scanned event the same change as another. Parses its `source` where its fields do not tell. */
  identity(scanner: EventScanner, topic: string, key: string | null): Identity {
    const op = String.fromCharCode(scanner.op);
    const id = key === null ? null : (this.#fastIdentity?.(scanner, { topic, key, op }) ?? null);
    if (id !== null) return { id, caveat: null };
    const total = scanner.hasTransaction ? scanner.totalOrder : Number.NaN;
    const transaction = Number.isNaN(total) ? null : { total_order: total };
    return this.kind.identity({ topic, key, op, source: scanner.source(), transaction });
  }

  identityOfReading(reading: ChangeReading | FlattenedReading, topic: string, key: string | null): Identity {
    const { op, source, transaction } = reading;
    if (op === null) return { id: null, why: "The flattened event has no op: add.fields=op is not set." };
    return this.kind.identity({ topic, key, op, source, transaction });
  }

  #mark(covering: Covering, passed: Uint8Array | null): Covering {
    if (covering === "again" && passed !== null && this.stream >= 0) passed[this.stream] = 1;
    return covering;
  }

  #unplaced(why: string): "unplaced" {
    this.why = why;
    return "unplaced";
  }

  #isOwn(scanner: EventScanner): boolean {
    if (this.prefix === null || scanner.isNone(this.#nameField)) return true;
    const at = scanner.startOf(this.#nameField);
    return this.#names.get(scanner.bytes, at, scanner.stopOf(this.#nameField));
  }

  #streamOf(scanner: EventScanner): number {
    if (this.#ownerName === null) return this.#onlyStream();
    if (scanner.isNone(this.#ownerField)) return -1;
    const at = scanner.startOf(this.#ownerField);
    return this.#owners.get(scanner.bytes, at, scanner.stopOf(this.#ownerField));
  }

  #onlyStream(): number {
    return this.commits.length === 1 ? 0 : -1;
  }

  /** -2: of a source partition that has no commit. */
  #streamNamed(name: JsonValue | undefined): number {
    if (typeof name !== "string") return -1;
    const index = this.commits.findIndex(({ of }) => of === name);
    if (index >= 0) return index;
    // Old partitions do not name what they are of: SQL Server's of a single database.
    return this.commits.every(({ of }) => of === null) ? this.#onlyStream() : -2;
  }

  #decide(told: Told): Covering {
    this.why = null;
    this.stream = told.stream;
    if (told.stream === -2) {
      this.why = "No offset is stored for the database or partition token it comes from.";
      // Tokens end, and nothing of them is sent again; a database without an offset is read from the start.
      return this.type === "spanner" ? "unordered" : "again";
    }
    return told.stream >= 0 ? this.#against(told.stream, told) : this.#againstAll(told);
  }

  #against(index: number, told: Told): Covering {
    const commit = this.commits[index] as ReadCommit;
    if (commit.ended) return "covered";
    if (commit.why !== null) {
      this.why = commit.why;
      return "unordered";
    }
    const { order, why } = this.kind.order(commit.position, told.position);
    this.why = why ?? null;
    if (order === "before") return "again";
    if (order !== "unordered") return "covered";
    const edge = this.edge?.of(told.position, why ?? "", told.transactionId) ?? "no";
    if (edge === "no") return "unordered";
    if (edge === "beyond") return "again";
    this.ordinal = told.ordinal();
    this.position = told.position;
    return "edge";
  }

  /** The event does not tell which commit counts: those that can be compared with it, and of them the oldest. */
  #againstAll(told: Told): Covering {
    let covered = false;
    let why: string | null = null;
    for (let i = 0; i < this.commits.length; i++) {
      const one = this.#against(i, told);
      if (one === "again") return "again";
      if (one === "covered") covered = true;
      else why ??= this.why;
    }
    this.why = why;
    return covered ? "covered" : "unordered";
  }
}

/** The event that a scanner stands at. */
class ScannedEvent implements Told {
  position: unknown = null;
  stream = -1;
  #scanner: EventScanner | null = null;

  take(scanner: EventScanner, stream: number, position: unknown): void {
    this.#scanner = scanner;
    this.stream = stream;
    this.position = position;
  }

  ordinal = (): number => (this.#scanner?.hasTransaction ? this.#scanner.totalOrder : Number.NaN);

  transactionId = (): string | null => this.#scanner?.transactionId() ?? null;
}

/** A JSON text with its quotes. */
function textOf(bytes: Buffer): string | null {
  const value = parseJson(bytes.toString());
  return typeof value === "string" ? value : null;
}

/**
 * What the commits in force say of change events; or, where there is no place in the stream to count from, one sentence.
 * @param commits of the used source partitions
 */
export function coverageOf(
  type: ConnectorType,
  config: ConnectorConfig,
  commits: readonly CommittedOffset[],
): { coverage: Coverage; why?: undefined } | { coverage?: undefined; why: string } {
  if (!isDecoded(type)) return { why: "Positions of this connector type are not known to Tidemark." };
  if (commits.length === 0) return { why: "No offset is stored: there is no place to count from." };
  const running = commits.filter(({ offset }) => snapshotWindow(type, offset) === "begins-again").length;
  if (running === commits.length)
    return { why: "A snapshot is running in the offset: a restart begins it again." };
  const read = commits.map((commit) => readCommit(type, commit));
  if (read.every(({ why, ended }) => why !== null && !ended))
    return { why: `The offset cannot be read: ${read[0]?.why ?? ""}` };
  const prefix = topicPrefix(config);
  const known = prefix !== null && !isReference(prefix) ? prefix : prefixIn(type, commits);
  const reReads = commits.some(({ offset }) => typeof offset.incremental_snapshot_collections === "string");
  const [only] = commits;
  const edge = only && commits.length === 1 ? edgeRule(type, only, read[0]?.position) : null;
  return { coverage: new Coverage(type, known, read, edge, reReads) };
}
