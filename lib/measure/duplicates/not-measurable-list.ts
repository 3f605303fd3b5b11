import type { NotMeasurable } from "@/lib/observed/duplicates";

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

  /** The most frequent first. */
  told(): NotMeasurable[] {
    return [...this.#reasons.values()].sort((a, b) => b.count - a.count);
  }
}
