import type { Failure } from "@/lib/observed/observation";
import { LogReadError, type TopicPartition } from "./log-reader";

const remedyForDamage =
  "Compare the replicas with kafka-dump-log.sh --deep-iteration; other offsets can be read.";

/** What lies in the log and contradicts itself: wrong checksum, lengths that do not fit. */
export function damaged(at: TopicPartition, offset: number, what: string): LogReadError {
  return unreadable(at, offset, "invalid-answer", `damaged: ${what}`, remedyForDamage);
}

/** A batch whose records its codec cannot bring back. */
export function undecodable(at: TopicPartition, offset: number, codec: string, why: string): LogReadError {
  return unreadable(at, offset, "invalid-answer", `cannot read (${codec}): ${why}`, remedyForDamage);
}

/** What may be sound, but cannot be read by us. */
export function unreadable(
  at: TopicPartition,
  offset: number,
  kind: Failure["kind"],
  what: string,
  remedy: string | null,
): LogReadError {
  const sentence = `topic ${at.topic}, partition ${at.partition}, offset ${offset}: ${what}`;
  return new LogReadError({ kind, sentence, remedy }, { topic: at.topic, partition: at.partition, offset });
}
