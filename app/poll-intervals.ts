import { loadSettings } from "@/lib/config/load";
import { settingsSchema } from "@/lib/config/settings";
import type { PollIntervals } from "@/lib/views/surroundings";

let known: PollIntervals | undefined;

/** How often the collector looks, by the same settings. With faulty settings, which the collector reports, the defaults. */
export function pollIntervals(): PollIntervals {
  known ??= inMilliseconds(readPoll());
  return known;
}

function readPoll(): PollIntervals {
  try {
    return loadSettings({ env: process.env }).settings.poll;
  } catch {
    return settingsSchema.shape.poll.parse({});
  }
}

function inMilliseconds(poll: PollIntervals): PollIntervals {
  const ms = (seconds: number) => seconds * 1_000;
  return {
    connectors: ms(poll.connectors),
    offsets: ms(poll.offsets),
    topics: ms(poll.topics),
    schemaHistory: ms(poll.schemaHistory),
    replayWindow: ms(poll.replayWindow),
    duplicates: ms(poll.duplicates),
  };
}
