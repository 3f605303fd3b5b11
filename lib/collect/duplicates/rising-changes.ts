import { type DeliveredRecord, deliveredOrder } from "@/lib/debezium/events/delivered-record";
import { EventScanner } from "@/lib/debezium/events/event-scanner";
import type { Place } from "@/lib/debezium/events/places/place";
import { isFieldPlaced, placesOf } from "@/lib/debezium/events/places/places";
import { runContext } from "@/lib/debezium/events/run-context";
import type { LogRecord } from "@/lib/kafka/log/record";

const read = 0x72;

/**
 * Passes over what one run goes on to write, as long as each change stands above the one before it: what stands above all that
 * was delivered is no copy, and need not be read in full to know that.
 */
export class RisingChanges {
  readonly #scanner: EventScanner;
  readonly #place: Place<unknown>;
  readonly #highest: Place<unknown>;
  #begun = false;
  #bytes: Buffer = Buffer.alloc(0);

  /** @param above stands above all that was delivered before it */
  constructor(private readonly above: DeliveredRecord) {
    const places = placesOf(above.type);
    this.#scanner = new EventScanner(places.fields);
    this.#place = places.create();
    this.#highest = places.create();
  }

  /** Whether bytes tell where a run's changes stand: they all compare. */
  static follow({ type, runId }: DeliveredRecord): boolean {
    return runId !== null && isFieldPlaced(type);
  }

  /** False: another run wrote it, or it may be a copy, or what it is has to be found out by reading it. */
  passes({ value, headers }: LogRecord): boolean {
    if (value === null) return true;
    if (runContext(headers)?.runId !== this.above.runId) return false;
    // The records of a batch lie in one buffer: the scanner is fastest where it stays the same.
    if (this.#bytes.buffer !== value.buffer) this.#bytes = Buffer.from(value.buffer);
    const scanner = this.#scanner;
    const start = value.byteOffset;
    if (scanner.scan(this.#bytes, start, start + value.length) !== "change") return false;
    if (scanner.op === read || scanner.snapshot !== null) return true;
    if (!this.#place.read(scanner) || !this.#rises()) return false;
    this.#highest.copyFrom(this.#place);
    this.#begun = true;
    return true;
  }

  #rises(): boolean {
    if (this.#begun) return this.#place.compare(this.#highest) > 0;
    const { type, position } = this.above;
    return deliveredOrder(type)(this.#place.position(), position).order === "after";
  }
}
