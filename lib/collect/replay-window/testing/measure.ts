import type { JudgedConnector } from "@/lib/checks/judged";
import { lookAtFleet } from "../fleet-look";
import { type Measured, measureByTime } from "../measured";
import { questionOf, targetOf } from "../target";
import type { WindowMemory } from "../window-memory";
import type { WrittenTopics } from "./written-topics";

/** One connector by time, as the loop measures it at one poll. */
export async function measure(
  brokers: WrittenTopics,
  known: JudgedConnector,
  memory: WindowMemory,
): Promise<Measured> {
  const target = targetOf(known, memory, new Set());
  if (target.failure !== undefined) throw new Error(target.failure.sentence);
  const fleet = await lookAtFleet(brokers.probe, [questionOf(target.value)]);
  if (fleet.failure !== undefined) throw new Error(fleet.failure.sentence);
  return measureByTime(target.value, memory, fleet.value.get(known.connector) ?? new Map());
}
