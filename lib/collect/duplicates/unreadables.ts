import type { DeliveredRecord } from "@/lib/debezium/events/delivered-record";
import type { NotMeasurable } from "@/lib/observed/duplicates";

/** Collects what cannot be measured, and why. Only some records are looked at: of the others it is not known. */
export class Unreadables {
  readonly #reasons = new Map<string, NotMeasurable>();
  readonly #seen = new Set<number>();

  record({ offset, slug, why, remedy }: DeliveredRecord): void {
    if (this.#seen.has(offset)) return;
    this.#seen.add(offset);
    this.stretch(slug ?? "unreadable", why ?? "The record is no event.", remedy);
  }

  stretch(slug: string, reason: string, remedy: string | null): void {
    this.#reasons.set(`${slug} ${reason}`, { slug, reason, count: null, remedy });
  }

  told(): NotMeasurable[] {
    return [...this.#reasons.values()];
  }
}
