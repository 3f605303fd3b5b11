import { type PostgresPosition, postgresql } from "../../positions/postgresql";
import type { EventScanner } from "../event-scanner";
import { bigintOrNull, none, numberOrNone, Place, type PlaceKind } from "./place";

const fields = ["sequence", "lsn", "txId"];
const [sequenceField, lsnField, txIdField] = [0, 1, 2];

const quote = 0x22;
const comma = 0x2c;
const backslash = 0x5c;
const opening = 0x5b;
const closing = 0x5d;

class PostgresPlace extends Place<PostgresPosition> {
  protected readonly kind = postgresql;
  /** LSN of the COMMIT before, first number of `sequence`. */
  lastCommit = none;
  lsn = none;
  txId = none;
  /** Whether the event has a `sequence`. */
  sequenced = false;
  /** Where reading `sequence` stopped. */
  #at = 0;

  protected readNumbers(scanner: EventScanner): boolean {
    this.lastCommit = none;
    this.sequenced = !scanner.isNone(sequenceField);
    let sequenceLsn = none;
    if (this.sequenced) {
      const { bytes } = scanner;
      this.#at = scanner.startOf(sequenceField) + 1;
      this.lastCommit = this.#element(bytes, opening);
      sequenceLsn = this.#element(bytes, comma);
      if (bytes[this.#at] !== closing || bytes[this.#at + 1] !== quote) return false;
    }
    const lsn = numberOrNone(scanner, lsnField);
    // The records of an incremental snapshot have a sequence but no lsn.
    this.lsn = lsn === none ? sequenceLsn : lsn;
    this.txId = numberOrNone(scanner, txIdField);
    // NaN is not at least anything.
    return this.lsn >= 0 && this.lastCommit >= none && sequenceLsn >= none && this.txId >= none;
  }

  /** One of the two elements of `["27334520","27334656"]`, its quotes escaped; NaN for what is neither that nor null. */
  #element(bytes: Buffer, before: number): number {
    const at = this.#at;
    if (bytes[at] !== before) return Number.NaN;
    // In valid JSON the first letter tells the word.
    if (bytes[at + 1] === 0x6e) {
      this.#at = at + 5;
      return none;
    }
    if (bytes[at + 1] !== backslash || bytes[at + 2] !== quote) return Number.NaN;
    let number = 0;
    let i = at + 3;
    let byte = bytes[i] as number;
    for (; byte >= 0x30 && byte <= 0x39; byte = bytes[++i] as number) number = number * 10 + (byte - 0x30);
    this.#at = i + 2;
    const exact = i > at + 3 && number <= Number.MAX_SAFE_INTEGER && byte === backslash;
    return exact && bytes[i + 1] === quote ? number : Number.NaN;
  }

  protected compareNumbers(other: this): number | null {
    if (this.snapshot !== null || other.snapshot !== null || !this.sequenced || !other.sequenced) return null;
    if (this.lastCommit !== other.lastCommit) return this.lastCommit - other.lastCommit;
    if (this.txId !== other.txId && this.txId !== none && other.txId !== none) return Number.NaN;
    return this.lsn - other.lsn;
  }

  protected positionOfNumbers(): PostgresPosition {
    return {
      of: "event",
      lsn: BigInt(this.lsn),
      lastCommit: bigintOrNull(this.lastCommit),
      txId: bigintOrNull(this.txId),
      messageType: null,
      eventsAtLsn: null,
      snapshot: this.snapshot,
      sequenced: this.sequenced,
    };
  }

  protected copyNumbers(other: this): void {
    this.lastCommit = other.lastCommit;
    this.lsn = other.lsn;
    this.txId = other.txId;
    this.sequenced = other.sequenced;
  }
}

export const postgresPlaces: PlaceKind<PostgresPosition> = { fields, create: () => new PostgresPlace() };
