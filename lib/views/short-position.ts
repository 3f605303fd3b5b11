import { z } from "zod";
import type { JudgedConnector } from "@/lib/checks/judged";
import { connectorType } from "@/lib/debezium/connector-type";
import { isDecoded } from "@/lib/debezium/positions/kinds";
import { decodeStored } from "./decode-stored";
import { countOf } from "./format";
import { whyNoValue } from "./freshness";

/** A connector's committed position in a table cell. */
export const shortPositionSchema = z.object({
  /** `undecoded`: stored, but of a connector whose offsets are shown raw. `none`: Connect answered that nothing is stored. `unknown`: `why` says why. */
  kind: z.enum(["position", "several", "none", "undecoded", "unknown", "not-applicable"]),
  /** `1A/31C90F40`, `3 partitions`, or a word for the other kinds. */
  text: z.string(),
  why: z.string().nullable(),
});
export type ShortPosition = z.infer<typeof shortPositionSchema>;

export function shortPosition(connector: JudgedConnector): ShortPosition {
  if (connector.report.value?.type === "sink") {
    return { kind: "not-applicable", text: "–", why: "A sink connector has no source position." };
  }
  const why = whyNoValue(connector.offsets, "The stored offset");
  const decoded = decodeStored(connector);
  if (why || !decoded) return { kind: "unknown", text: "unknown", why };
  if (decoded.partitions.length === 0) {
    return {
      kind: "none",
      text: "none stored",
      why:
        connector.offsets?.value?.from === "topic"
          ? "The offset topic holds no offset of this connector."
          : "Connect answers that no offset is stored for this connector.",
    };
  }
  const used = decoded.partitions.filter((p) => p.used);
  const [only] = used;
  if (!only) {
    return { kind: "none", text: "none in use", why: "No stored source partition fits the configuration." };
  }
  if (used.length > 1) return { kind: "several", text: countOf(used.length, "partition"), why: null };
  const type = connectorType(connector.report.value?.config?.["connector.class"]);
  const kind = isDecoded(type) ? "position" : "undecoded";
  return { kind, text: only.position.text, why: null };
}
