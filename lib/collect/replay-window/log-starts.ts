import type { PartitionLook, TopicLookFacts } from "@/lib/measure/replay-window/topic-look";

/** First offsets are asked for this often: at each poll they would cost each broker a request more. Milliseconds. */
const EVERY_MS = 60_000;

interface Known {
  topicId: string | null;
  earliest: number | null;
  /** For which commit's time the place was last looked for, where it was, and the end then. */
  after: number | null;
  place: number | null;
  end: number;
}

/** The topics' commits' times, and which topics' places can be compared from one poll to the next. */
interface Asked {
  /** The commit's time, milliseconds since 1970. */
  after(topic: string): number | null;
  shared(topic: string): boolean;
}

/** The log starts of one connector's topics, kept between the polls that ask for them: a log start only ever grows. */
export class LogStarts {
  #askedAt = Number.NEGATIVE_INFINITY;
  #missing = false;
  #known = new Map<string, Known>();

  /** Whether this poll should ask. */
  due(now: number): boolean {
    return this.#missing || now - this.#askedAt >= EVERY_MS;
  }

  /** The looks with the log starts that are known. @param asked all were asked for in this look */
  join(
    looks: ReadonlyMap<string, TopicLookFacts>,
    commits: Asked,
    { asked, now }: { asked: boolean; now: number },
  ): Map<string, TopicLookFacts> {
    if (asked) this.#askedAt = now;
    const before = this.#known;
    this.#known = new Map();
    this.#missing = false;
    const joined = new Map<string, TopicLookFacts>();
    for (const [topic, look] of looks) {
      if ("failure" in look) {
        joined.set(topic, look);
        continue;
      }
      const after = commits.after(topic);
      const comparable = look.compacted !== true && !commits.shared(topic);
      const partitions = look.partitions.map((p) => {
        const name = `${topic}/${p.partition}`;
        const last = before.get(name);
        const same = last && last.topicId === p.topicId ? last : null;
        const removed = comparable && same ? removedSince(same, p, after) : null;
        const earliest = p.earliest ?? larger(same?.earliest ?? null, removed);
        this.#missing ||= earliest === null;
        this.#known.set(name, { topicId: p.topicId, earliest, after, place: p.place, end: p.end });
        return { ...p, earliest };
      });
      joined.set(topic, { ...look, partitions });
    }
    return joined;
  }
}

/** The first record later than one and the same time changes only when it is removed: then the log starts behind it. */
function removedSince(last: Known, { place }: PartitionLook, after: number | null): number | null {
  if (after === null || last.after !== after || last.place === null || place === null) return null;
  return last.place < last.end && place > last.place ? place : null;
}

function larger(a: number | null, b: number | null): number | null {
  if (a === null || b === null) return a ?? b;
  return Math.max(a, b);
}
