import type { Refusal } from "./failure";
import { isAtLeast } from "./kafka-version";

/* What a refusal means depends on what was asked: here the general failure becomes the particular one. */

function because(refusal: Refusal, kind: "not-supported" | "not-connect", sentence: string, remedy: string) {
  return { ...refusal, failure: { kind, sentence, remedy } };
}

/** Where even the list or the root is not found, something else than Connect answers. */
export function elsewhere(refusal: Refusal): Refusal {
  if (refusal.status !== 404 || refusal.failure.kind !== "not-found") return refusal;
  const sentence = `The address answered, but not as Kafka Connect: ${refusal.failure.sentence}`;
  return because(refusal, "not-connect", sentence, "Check the address and its path prefix.");
}

export function topicsRefusal(refusal: Refusal, name: string): Refusal {
  if (refusal.status === 403 && /topic tracking/i.test(refusal.message ?? "")) {
    const sentence = "Topic tracking is off in this Connect cluster, so it cannot tell a connector's topics.";
    return because(refusal, "not-supported", sentence, "Set topic.tracking.enable=true on the workers.");
  }
  if (refusedForItsName(refusal, name))
    return because(refusal, "not-supported", "Topics cannot be fetched for this name.", nameRemedy);
  if (refusal.status === 404 && !saysGone(refusal, name)) {
    const sentence = "This Connect version cannot tell a connector's topics (needs 2.5).";
    return because(refusal, "not-supported", sentence, "Update Kafka Connect.");
  }
  return refusal;
}

export function offsetsRefusal(refusal: Refusal, name: string, version: string | null): Refusal {
  const unknownPath = refusal.status === 404 || refusal.status === 405;
  if (unknownPath && version !== null && isAtLeast(version, 3, 5) === false) {
    const sentence = `This Connect version cannot show offsets over REST (needs 3.5): it is ${version}.`;
    return because(
      refusal,
      "not-supported",
      sentence,
      "Update Kafka Connect; the offset topic can be read meanwhile.",
    );
  }
  if (refusedForItsName(refusal, name))
    return because(refusal, "not-supported", "Offsets cannot be fetched for this name.", nameRemedy);
  if (!unknownPath || saysGone(refusal, name)) return refusal;
  const sentence = `Kafka Connect ${version ?? "(version unknown)"} has no answer at the path of a connector's offsets (HTTP ${refusal.status}).`;
  return because(
    refusal,
    "not-supported",
    sentence,
    "Check that what stands before Connect lets this path through.",
  );
}

const nameRemedy =
  "A worker refuses paths with an encoded slash or percent sign; another name would be needed.";

/** RFC 3986's unreserved characters and a few that no server minds. */
function refusedForItsName(refusal: Refusal, name: string): boolean {
  if (/^[\w.~ +-]*$/.test(name)) return false;
  if (refusal.status === 400 || refusal.status === 405) return true;
  return refusal.status === 404 && /[/\\%]/.test(name) && !saysGone(refusal, name);
}

/** ConnectorsResource: "Connector x not found"; AbstractHerder: "No status found for connector x". */
function saysGone(refusal: Refusal, name: string): boolean {
  const message = refusal.message ?? "";
  return message.includes(`onnector ${name} not found`) || message.includes(`for connector ${name}`);
}
