/**
 * Whether a worker's `version` is at least Kafka `major.minor`; null when it cannot be told.
 * Confluent Platform has numbers of its own (`7.5.0-ccs` is Kafka 3.5, `8.0.0-ccs` is 4.0, `6.2.0-ccs` is 2.8).
 */
export function isAtLeast(version: string, major: number, minor: number): boolean | null {
  const parts = /^(\d+)\.(\d+)/.exec(version);
  if (!parts) return null;
  let [ownMajor, ownMinor] = [Number(parts[1]), Number(parts[2])];
  if (/-c(?:cs|e)\b/.test(version)) {
    if (ownMajor === 6) ownMinor += 6;
    ownMajor -= 4;
  }
  return ownMajor > major || (ownMajor === major && ownMinor >= minor);
}
