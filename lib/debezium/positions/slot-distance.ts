import type { JsonObject, JsonValue } from "../json";
import { count, plural, quoted } from "./field-kinds";
import { lsnText, parseLsn, walBytes } from "./lsn";

/** How a stored PostgreSQL offset stands to what its replication slot has confirmed. */
export type SlotDistance =
  | {
      state: "offset-ahead" | "equal" | "slot-ahead";
      /** The offset's LSN and the key that holds it. */
      offset: { key: string; text: string };
      /** confirmed_flush_lsn. */
      slot: string;
      /** Bytes of WAL by which the offset is ahead of the slot; negative when the slot is. */
      aheadOfSlot: bigint;
      /** The same from the slot: its bytes ahead of the offset. */
      aheadOfOffset: bigint;
      /** What that means for a restart. */
      text: string;
    }
  | { state: "unknown"; why: string };

/** A restart asks the server from lsn_proc; offsets of a snapshot have only lsn. */
const keys = ["lsn_proc", "lsn_commit", "lsn"] as const;

function offsetLsn(offset: JsonObject): { key: string; lsn: bigint } | null {
  for (const key of keys) {
    const lsn = count(offset[key]);
    if (lsn !== null) return { key, lsn };
  }
  return null;
}

function sentence(ahead: bigint): string {
  if (ahead === 0n) return "Normal: the slot is confirmed up to the offset.";
  if (ahead > 0n)
    return `Normal: the slot is confirmed a little later than the offset. A restart is sent these ${plural(ahead, "byte")} of WAL again and skips what is in the offset.`;
  return `The slot is ${plural(-ahead, "byte")} of WAL beyond the offset. For a moment after a flush that is normal, for the connector confirms only what Kafka has. If it stays, the slot was moved on by something else: the server has let go of what lies between, and a restart would not get it (PostgreSQL 15 and later start at the slot without an error).`;
}

/**
 * Compares a stored offset with its slot's confirmed_flush_lsn, as pg_replication_slots prints it (`5D/69FF0000`).
 * `unknown`, with the reason, when either cannot be read: a slot that was never confirmed has none.
 */
export function slotDistance(offset: JsonObject, confirmedFlushLsn: JsonValue): SlotDistance {
  const stored = offsetLsn(offset);
  if (stored === null) return { state: "unknown", why: "The offset has no LSN that can be read." };
  if (confirmedFlushLsn === null)
    return { state: "unknown", why: "The slot has no confirmed_flush_lsn: nothing was confirmed to it yet." };
  const slot = typeof confirmedFlushLsn === "string" ? parseLsn(confirmedFlushLsn) : null;
  if (slot === null)
    return { state: "unknown", why: `confirmed_flush_lsn is ${quoted(confirmedFlushLsn)}, not an LSN.` };
  const ahead = walBytes(slot, stored.lsn);
  return {
    state: ahead > 0n ? "offset-ahead" : ahead < 0n ? "slot-ahead" : "equal",
    offset: { key: stored.key, text: lsnText(stored.lsn) },
    slot: lsnText(slot),
    aheadOfSlot: ahead,
    aheadOfOffset: -ahead,
    text: sentence(ahead),
  };
}
