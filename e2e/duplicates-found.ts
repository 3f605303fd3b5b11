import { type Carried, carriedSchema, measurePartition } from "@/lib/collect/duplicates/measure-partition";
import type { LogReader } from "@/lib/kafka/log/log-reader";
import type { PartitionDuplicates } from "@/lib/observed/duplicates";

/** No look of these tests ends for its bytes. */
const maxBytes = 4 * 1024 ** 3;

export interface Place {
  topic: string;
  partition: number;
  /** First offset that is not looked at. */
  end: number;
}

/** Measures partitions as someone does who sees them for the first time, and as someone does who has watched them all along. */
export interface Finder {
  /** From the first record. */
  whole(place: Place): Promise<PartitionDuplicates>;
  /** What is new since the last look, and with it all that was found before. */
  watched(place: Place): Promise<PartitionDuplicates>;
}

interface Watched {
  carried: Carried;
  to: number;
  replays: PartitionDuplicates["replays"];
  falls: PartitionDuplicates["falls"];
}

export function openFinder(log: LogReader): Finder {
  const known = new Map<string, Watched>();

  async function look({ topic, partition, end }: Place, from: number, carried: Carried | null) {
    const described = await log.describe([topic]);
    const answer = described.value?.get(topic);
    const topicId = answer && "topicId" in answer ? answer.topicId : null;
    return measurePartition(log, {
      topic,
      partition,
      topicId,
      from,
      to: end,
      carried,
      type: null,
      config: null,
      starts: [],
      registry: null,
      maxBytes,
    });
  }

  return {
    async whole(place) {
      return (await look(place, 0, null)).found;
    },
    async watched(place) {
      const name = `${place.topic}/${place.partition}`;
      const before = known.get(name);
      const { found, carried } = await look(place, before?.to ?? 0, before?.carried ?? null);
      const replays = [...(before?.replays ?? []), ...found.replays];
      const falls = [...(before?.falls ?? []), ...found.falls];
      // As the store keeps it between two looks.
      const stored = carriedSchema.parse(JSON.parse(JSON.stringify(carried)));
      known.set(name, { carried: stored, to: found.to, replays, falls });
      return { ...found, replays, falls };
    },
  };
}
