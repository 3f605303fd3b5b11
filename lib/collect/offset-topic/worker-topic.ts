import type { Failure } from "@/lib/observed/observation";
import type { BrokerProbe } from "../cluster-probe";
import type { Comparison } from "./compare-with-rest";
import { findOffsetTopic } from "./find-topic";

/**
 * How long a search that failed is not repeated while the connectors stay the same, milliseconds: twice as long each time, up to a
 * minute. The first commits of new connectors are seconds away.
 */
const findAgainMs = { first: 2_000, longest: 60_000 };

/** How long an agreement counts: a worker can be started anew with another offset.storage.topic. Milliseconds. */
const agreedForMs = 600_000;

/** Which topic the workers of one Connect cluster store offsets in: named in the settings, or found by its keys. */
export interface WorkerTopic {
  /** The topic to read, or why none is known. @param own offset topics of single connectors */
  settle(
    connectors: ReadonlySet<string>,
    own: ReadonlySet<string>,
  ): Promise<{ topic: string } | { failure: Failure }>;
  /**
   * Why the topic must not be followed, though it can be read; null when it may. `compare` is asked until it agrees, and
   * again, with `agreed` true, when that is long ago.
   */
  confirm(topic: string, compare: (agreed: boolean) => Promise<Comparison>): Promise<Failure | null>;
  /** Whether Connect's own answer agreed with it. */
  agreed(): boolean;
  /** What to do about a topic that is not there, or not the one. */
  readonly remedy: string;
  /** The topic is no more: it is looked for again, unless it was named. */
  lose(failure: Failure): void;
}

export function openWorkerTopic(
  brokers: BrokerProbe,
  named: string | null,
  longestMs = findAgainMs.longest,
  forMs = agreedForMs,
): WorkerTopic {
  const remedy =
    named === null
      ? "Name Connect's offset.storage.topic with clusters[].offsetTopic, or OFFSET_TOPIC."
      : "Correct clusters[].offsetTopic, or OFFSET_TOPIC: offset.storage.topic is in the workers' configuration.";
  let found: string | null = named;
  let agrees = false;
  /** When the two are compared again, milliseconds since 1970. */
  let compareAt = 0;
  /** The last search that failed, or what it found was not the one. */
  let none: { failure: Failure; until: number; pauseMs: number; connectors: string } | null = null;
  let connectors = "";

  function lose(failure: Failure): void {
    agrees = false;
    if (named !== null) return;
    found = null;
    const wantedMs = none?.connectors === connectors ? none.pauseMs * 2 : findAgainMs.first;
    const pauseMs = Math.min(wantedMs, longestMs);
    none = { failure, until: Date.now() + pauseMs, pauseMs, connectors };
  }

  return {
    async settle(names, own) {
      if (found !== null) return { topic: found };
      connectors = [...names].sort().join("\n");
      if (none?.connectors === connectors && Date.now() < none.until) return { failure: none.failure };
      const search = await findOffsetTopic(brokers, names, own);
      if ("failure" in search) lose(search.failure);
      else found = search.topic;
      return search;
    },
    async confirm(topic, compare) {
      if (agrees && Date.now() < compareAt) return null;
      const comparison = await compare(agrees);
      if ("agrees" in comparison || (agrees && "failure" in comparison)) {
        agrees = true;
        compareAt = Date.now() + forMs;
        return null;
      }
      if ("contradiction" in comparison) {
        const failure = notTheOne(topic, comparison.contradiction, remedy);
        lose(failure);
        return failure;
      }
      // A person's word is enough until Connect can be asked; a guess is not.
      return named === null ? notCompared(topic, comparison.failure) : null;
    },
    agreed: () => agrees,
    remedy,
    lose,
  };
}

function notTheOne(topic: string, why: string, remedy: string): Failure {
  return {
    kind: "not-configured",
    sentence: `topic ${topic} is not the one that Connect stores these offsets in: ${why}`,
    remedy,
  };
}

function notCompared(topic: string, failure: Failure): Failure {
  return {
    kind: failure.kind,
    sentence: `topic ${topic} looks like Connect's offset.storage.topic, and is followed once Connect's own answer agrees with it; it could not be asked: ${failure.sentence}`,
    remedy: failure.remedy ?? "Naming it with clusters[].offsetTopic makes the comparison unnecessary.",
  };
}
