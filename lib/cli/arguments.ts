import { loadSettings } from "@/lib/config/load";
import type { Settings } from "@/lib/config/settings";

/** Where a cluster is, as the arguments of a command say it. */
interface ClusterArguments {
  connect?: string;
  brokers?: string;
  config?: string;
}

/**
 * The settings with the arguments in them: these win over the environment, which wins over the file. A lone --connect means
 * that cluster and no file.
 * @throws SettingsError
 */
export function settingsWith({ connect, brokers, config }: ClusterArguments): Settings {
  const env = {
    ...process.env,
    ...(connect === undefined ? {} : { CONNECT_URL: connect }),
    ...(brokers === undefined ? {} : { KAFKA_BROKERS: brokers }),
  };
  return loadSettings({ file: config ?? (connect === undefined ? undefined : null), env }).settings;
}

/** What `parseArgs` of Node has against the arguments, in a line, without its advice and its full stop. */
export function argumentFault(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return (message.split(/\.(?: |\n)(?:To specify|Did you forget)/)[0] ?? message).replace(/\.$/, "");
}
