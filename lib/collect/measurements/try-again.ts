import { setTimeout as sleep } from "node:timers/promises";
import { RecordsGone } from "@/lib/collect/restarts/partition-log";
import { LogReadError } from "@/lib/kafka/log/log-reader";
import { failedBy, MeasurementFailed } from "./measurement-failed";

/** Tries that a step has, and the pause after the first, milliseconds; each further one is twice as long. */
const TRIES = 5;
const FIRST_PAUSE_MS = 1_000;

/**
 * Runs one step of a measurement, and again after a while where brokers that are away or a leader's change may have been why it
 * failed.
 * @throws MeasurementFailed for what will not mend by itself, or has not
 */
export async function tryAgain<T>(
  step: () => Promise<T>,
  { topic, signal, pauseMs = FIRST_PAUSE_MS }: { topic: string; signal: AbortSignal; pauseMs?: number },
): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await step();
    } catch (error) {
      const failed = asFailed(error, topic);
      if (!failed?.mayHeal || tries === TRIES || signal.aborted) throw failed ?? error;
      await sleep(pauseMs * 2 ** (tries - 1), undefined, { signal }).catch(() => undefined);
      if (signal.aborted) throw failed;
    }
  }
}

function asFailed(error: unknown, topic: string): MeasurementFailed | null {
  if (error instanceof MeasurementFailed) return error;
  if (error instanceof LogReadError) {
    const { partition, offset } = error.at;
    const where = `topic ${topic}, partition ${partition}, offset ${offset}: `;
    const { sentence } = error.failure;
    // The log reader's own sentences say where already.
    const failure = {
      ...error.failure,
      sentence: sentence.startsWith(where) ? sentence.slice(where.length) : sentence,
    };
    return failedBy(failure, `Partition ${partition} of ${topic} cannot be read at offset ${offset}`);
  }
  if (error instanceof RecordsGone)
    return new MeasurementFailed(
      `What was being measured of ${topic} changed under it: ${error.message}`,
      "Measure it again.",
    );
  return null;
}
