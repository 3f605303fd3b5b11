import { runStart } from "@/lib/debezium/events/run-context";
import { type FoundReplay, type Replay, replayId } from "@/lib/observed/duplicates";
import type { Restart } from "@/lib/observed/window-series";
import type { ReplayLine } from "./duplicates-schema";
import { causeWords } from "./duplicates-words";

/** `2026-11-29 02:14:58 UTC`: what is copied says its zone. */
function utc(iso: string): string {
  return `${iso.slice(0, 10)} ${iso.slice(11, 19)} UTC`;
}

const changes = (count: number) => `${count} change${count === 1 ? "" : "s"}`;

const sureness: Readonly<Record<FoundReplay["bound"], string>> = {
  exact: "",
  "at-most": "at most ",
  "at-least": "at least ",
};

function firstCopies({ firstCopyOf, lastCopyOf }: Replay): string {
  if (firstCopyOf === null || lastCopyOf === null) return "";
  return firstCopyOf === lastCopyOf
    ? ` They had come at offset ${firstCopyOf} first.`
    : ` They had come at offsets ${firstCopyOf} to ${lastCopyOf} first.`;
}

function positions({ firstPosition, lastPosition }: Replay): string {
  if (firstPosition === null) return "";
  return lastPosition === null || lastPosition === firstPosition
    ? ` Source position ${firstPosition}.`
    : ` Source positions ${firstPosition} to ${lastPosition}.`;
}

/** Where between the two offsets other records lie too, so that nobody drops those. */
function between({ firstOffset, lastOffset, count }: Replay): string {
  const span = lastOffset - firstOffset + 1;
  return span > count ? " Other records lie between these offsets: keep those." : "";
}

/** For those who read a topic, to be pasted into a message: plain digits, times in UTC. */
export function forgetSentence(replay: Replay): string {
  const { topic, partition, firstOffset, lastOffset, count, bound, cause, at } = replay;
  const where =
    firstOffset === lastOffset ? `offset ${firstOffset}` : `offsets ${firstOffset} to ${lastOffset}`;
  const verb = count === 1 ? "was" : "were";
  const why = cause === "unknown" ? "the cause is not known" : `cause: ${causeWords[cause]}`;
  return `Topic ${topic}, partition ${partition}, ${where}: ${sureness[bound]}${changes(count)} ${verb} delivered again at ${utc(at)} (${why}).${firstCopies(replay)}${positions(replay)}${between(replay)}`;
}

/** A run's id tells when it began, where it is Debezium's own. */
function runBegan(runId: string | null): string | null {
  const at = runId === null ? null : runStart(runId);
  return at === null ? null : new Date(at).toISOString();
}

/** Replays as a list shows them, each with the window of the restart that it belongs to. */
export function replayLines(replays: readonly Replay[], restarts: readonly Restart[] = []): ReplayLine[] {
  const known = new Map(restarts.map((restart) => [restart.id, restart]));
  return replays.map((replay) => {
    const restart = replay.restart === null ? undefined : known.get(replay.restart);
    return {
      ...replay,
      causeName: causeWords[replay.cause],
      forget: forgetSentence(replay),
      runBeforeAt: runBegan(replay.runBefore),
      runAfterAt: runBegan(replay.runAfter),
      restartWindow: restart
        ? {
            shown: restart.shown?.events ?? null,
            recomputed: restart.recomputed,
            replayed: restart.replayed,
          }
        : replay.predicted === undefined || replay.predicted === null
          ? null
          : { shown: replay.predicted, recomputed: null, replayed: null },
    };
  });
}

const notLookedAt =
  "A measurement reads the topic only: why it came again is known where a watched connector's tasks were seen.";

/** The same replay as a watch stored it: of the same run, in records that both name. A measured range can cut one off. */
function storedAs(found: FoundReplay, stored: readonly Replay[]): Replay | null {
  return (
    stored.find(
      (one) =>
        one.topic === found.topic &&
        one.topicId === found.topicId &&
        one.partition === found.partition &&
        one.runAfter === found.runAfter &&
        one.firstOffset <= found.lastOffset &&
        found.firstOffset <= one.lastOffset,
    ) ?? null
  );
}

/** What the log alone tells of its cause. */
function causeInLog({ causeInLog: cause }: FoundReplay): Pick<Replay, "cause" | "causeWhy"> {
  return {
    cause: cause ?? "unknown",
    causeWhy:
      cause === null ? notLookedAt : "The records alone show it: how they lie in the log tells the cause.",
  };
}

/**
 * Replays that a measurement found. Why they happened is what the watch of a connector concluded, where it saw the same ones;
 * else what the log alone tells.
 * @param stored those of the same topic
 */
export function foundLines(
  found: readonly FoundReplay[],
  cluster: string,
  stored: readonly Replay[] = [],
): ReplayLine[] {
  const replays = found.map((replay): Replay => {
    const known = storedAs(replay, stored);
    return {
      ...replay,
      id: replayId(replay),
      cluster,
      connector: known?.connector ?? null,
      ...(known && (known.cause !== "unknown" || replay.causeInLog === null)
        ? { cause: known.cause, causeWhy: known.causeWhy }
        : causeInLog(replay)),
      restart: known?.restart ?? null,
      predicted: known?.predicted ?? null,
    };
  });
  return replayLines(replays.sort((a, b) => (a.at < b.at ? 1 : a.at > b.at ? -1 : 0)));
}
