import type { DeliveredRecord } from "@/lib/debezium/events/delivered-record";
import type { NotMeasurable } from "@/lib/observed/duplicates";
import type { IdentityWalk, Sighting } from "./identity-walk";

/** Of changes that may be copies or not: which were counted as such is only likely. */
export const unsureCopies = {
  slug: "failover",
  reason:
    "A run stopped within their transaction and the next one began in it on another server: which of them are copies is not certain.",
  remedy: null,
};

const keyRemedy = "Give the table a primary key, or set message.key.columns.";

/** Different reasons that are told; further ones are summed up. */
const most = 20;

/** Records about which nothing can be said, by reason. */
export class NotMeasurableList {
  readonly #reasons = new Map<string, NotMeasurable & { count: number }>();

  add(slug: string, reason: string, remedy: string | null, count = 1): void {
    const name = JSON.stringify([slug, reason]);
    const known = this.#reasons.get(name);
    if (known) known.count += count;
    else if (this.#reasons.size < most) this.#reasons.set(name, { slug, reason, count, remedy });
    else if (slug !== "other") this.add("other", "They cannot be read for still other reasons.", null, count);
    else this.#reasons.set(name, { slug, reason, count, remedy });
  }

  /** Adds a record to a walk, and to this list what cannot be told of it. */
  walk(walk: IdentityWalk, record: DeliveredRecord, counts: boolean): Sighting {
    const { beside, unsure } = walk;
    const sighting = walk.add(record);
    const { kind, slug, why, remedy, identity, caveat, rowKey } = record;
    if (!counts) return sighting;
    if (kind === "unreadable") this.add(slug ?? "unreadable", why ?? "The record is no event.", remedy);
    if (kind === "change" && identity === null)
      this.add("no-identity", caveat ?? "The event tells no identity.", null);
    if (walk.unsure > unsure) this.add(unsureCopies.slug, unsureCopies.reason, unsureCopies.remedy);
    if (walk.beside > beside) this.add("keyless", caveat ?? "", rowKey === null ? keyRemedy : null);
    return sighting;
  }

  /** The most frequent first. */
  told(): NotMeasurable[] {
    return [...this.#reasons.values()].sort((a, b) => b.count - a.count);
  }
}
