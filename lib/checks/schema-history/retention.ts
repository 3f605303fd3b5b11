import type { Setting } from "@/lib/observed/topic";

/** Five years of 365 days: below it Debezium itself warns at start (KafkaSchemaHistory.checkTopicSettings). */
export const MIN_RETENTION_MS = 157_680_000_000n;

/** retention.ms in milliseconds when it is shorter than a schema history may be kept; null when it is long enough or unknown. */
export function finiteRetentionMs(setting: Setting | null): bigint | null {
  const value = whole(setting);
  return value === null || value < 0n || value >= MIN_RETENTION_MS ? null : value;
}

/** retention.bytes when it is not -1; null when it is unlimited or unknown. */
export function finiteRetentionBytes(setting: Setting | null): bigint | null {
  const value = whole(setting);
  return value === null || value < 0n ? null : value;
}

function whole(setting: Setting | null): bigint | null {
  return setting && /^-?\d+$/.test(setting.value) ? BigInt(setting.value) : null;
}
