/** One thing wrong with the settings. Holds no value of a secret. */
export interface SettingsFault {
  /** `tidemark.yaml:12:5 clusters[0].kafka.brokers[1]` or `environment variable PORT`. */
  place: string;
  /** What is wrong: ends the sentence that begins with the place. */
  problem: string;
  /** What would be right; null when `problem` says it. */
  right: string | null;
}

/** All that is wrong with the settings, found in one go. */
export class SettingsError extends Error {
  override name = "SettingsError";
  constructor(readonly faults: readonly SettingsFault[]) {
    super(`The settings cannot be used:\n${faults.map((fault) => `- ${faultLine(fault)}`).join("\n")}`);
  }
}

function faultLine({ place, problem, right }: SettingsFault): string {
  return `${place}: ${problem}${right === null ? "" : `; right would be ${right}`}`;
}
