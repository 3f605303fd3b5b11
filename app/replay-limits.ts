import { loadSettings } from "@/lib/config/load";
import { type ReplayLimits, replayLimits } from "@/lib/config/replay-limits";
import { type Settings, settingsSchema } from "@/lib/config/settings";

let known: Settings | undefined;

/** Limits of replay-window-large for one connector, by the collector's settings. With faulty settings, the defaults. */
export function replayLimitsOf(cluster: string, connector: string): ReplayLimits {
  known ??= readSettings();
  return replayLimits(known, cluster, connector);
}

function readSettings(): Settings {
  try {
    return loadSettings({ env: process.env }).settings;
  } catch {
    return settingsSchema.parse({});
  }
}
