import type { Failure } from "@/lib/observed/observation";

/** A measurement that somebody asked for cannot be made: why, and what to do. */
export class MeasurementFailed extends Error {
  override readonly name = "MeasurementFailed";
  constructor(
    readonly sentence: string,
    readonly remedy: string | null,
    /** Another try may do: a broker that is away, a leader that is being elected. */
    readonly mayHeal = false,
  ) {
    super(sentence);
  }
}

/** Failures that another try some seconds later may not meet. */
const passing: ReadonlySet<Failure["kind"]> = new Set(["unreachable", "timeout", "server-error"]);

/** What the brokers answered, as the end of a measurement. @param while what was being done, such as "its offsets could not be read" */
export function failedBy(failure: Failure, what: string): MeasurementFailed {
  return new MeasurementFailed(
    `${what}: ${failure.sentence.replace(/\.$/, "")}.`,
    (failure.kind === "too-large" ? smallerRange : failure.remedy) ?? remedies[failure.kind] ?? null,
    passing.has(failure.kind),
  );
}

const smallerRange = "Scan a range of times that begins after it, or ends before it.";

const remedies: Partial<Record<Failure["kind"], string>> = {
  unreachable: "See that the brokers run and can be reached from the collector, then measure it again.",
  timeout: "See that the brokers run and can be reached from the collector, then measure it again.",
  "server-error": "Measure it again when all of its partitions have a leader.",
  "not-found": "Check its name, also upper and lower case. Topics that are made later can be measured then.",
};
