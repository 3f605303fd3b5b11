import { type PostgresPosition, postgresql } from "../../positions/postgresql";
import type { EventScanner } from "../event-scanner";
import { bytesOf, Digits, standsAt } from "../json-bytes";
import { bigintOrNull, none, numberOrNone, Place, type PlaceKind } from "./place";

const fields = ["sequence", "lsn", "txId"];
const [sequenceField, lsnField, txIdField] = [0, 1, 2];

const nullText = bytesOf("null");
const escapedQuote = bytesOf('\\"');
const quote = 0x22;
const comma = 0x2c;
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
  readonly #digits = new Digits();

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
    if (standsAt(bytes, at + 1, nullText)) {
      this.#at = at + 5;
      return none;
    }
    if (!standsAt(bytes, at + 1, escapedQuote)) return Number.NaN;
    const number = this.#digits.read(bytes, at + 3);
    this.#at = this.#digits.stop + 2;
    const exact = number <= Number.MAX_SAFE_INTEGER && standsAt(bytes, this.#digits.stop, escapedQuote);
    return exact ? number : Number.NaN;
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
