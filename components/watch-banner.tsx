import type { Outcome } from "@/lib/checks/verdict";
import type { AnswerError } from "@/lib/views/error-answer";
import { asSentence } from "@/lib/views/format";
import type { Watch } from "@/lib/views/watch";
import { Age } from "./age";
import { StatusShape } from "./status-mark";

/** Why the last request for this page's data failed: no answer at all, or an error answer. */
export type Trouble = { kind: "no-answer" } | { kind: "answer"; error: AnswerError };

interface Line {
  key: string;
  outcome: Outcome;
  text: React.ReactNode;
}

function troubleLine(trouble: Trouble | null, shownSince: string | null): Line[] {
  if (!trouble) return [];
  const age = shownSince ? (
    <>
      {" "}
      What you see is <Age at={shownSince} /> old.
    </>
  ) : null;
  const text =
    trouble.kind === "no-answer" ? (
      <>
        <b>Tidemark's web process does not answer.</b>
        {age} This page keeps asking and mends itself.
      </>
    ) : (
      <>
        <b>{trouble.error.sentence}</b>
        {age} {trouble.error.remedy}
      </>
    );
  return [{ key: "trouble", outcome: "critical", text }];
}

function collectorLine(watch: Watch): Line[] {
  const { state, beatAt } = watch.collector;
  if (state === "alive") return [];
  const text =
    state === "never" || beatAt === null ? (
      <>
        <b>Tidemark's collector has not run yet.</b> Nothing is being looked at. Start it with{" "}
        <code>tidemark collect</code>, or all parts with <code>tidemark start</code>.
      </>
    ) : (
      <>
        <b>Tidemark's collector has stopped.</b> Its last sign of life was <Age at={beatAt} suffix=" ago" />.
        What you see is at least as old.
      </>
    );
  return [{ key: "collector", outcome: "critical", text }];
}

function clusterLines(watch: Watch, only: string | undefined): Line[] {
  return watch.clusters
    .filter((c) => c.state === "failing" && (only === undefined || c.name === only))
    .map((cluster) => ({
      key: `cluster ${cluster.name}`,
      outcome: "critical" as const,
      text: (
        <>
          <b>{cluster.name} has not answered </b>
          {cluster.failingSince ? (
            <b>
              for <Age at={cluster.failingSince} />.
            </b>
          ) : null}{" "}
          {asSentence(cluster.failure?.sentence ?? "")}{" "}
          {cluster.asOf ? (
            <>
              Its data is <Age at={cluster.asOf} /> old.
            </>
          ) : (
            "Nothing is known of it yet."
          )}{" "}
          {cluster.failure?.remedy}
        </>
      ),
    }));
}

function brokerLines(watch: Watch, only: string | undefined): Line[] {
  return watch.clusters.flatMap(({ name, brokersAway }): Line[] => {
    if (!brokersAway || (only !== undefined && name !== only)) return [];
    const { asOf, failure } = brokersAway;
    const text = (
      <>
        <b>The Kafka brokers of {name} do not answer.</b> {asSentence(failure.sentence)}{" "}
        {asOf ? (
          <>
            What is known of topics is <Age at={asOf} /> old, and Kafka Connect cannot tell offsets without
            them.
          </>
        ) : (
          "Nothing is known of topics yet."
        )}{" "}
        {failure.remedy}
      </>
    );
    return [{ key: `brokers ${name}`, outcome: "critical", text }];
  });
}

/** What stands between the page and the truth, and whose fault it is. Nothing when all is well. */
export function WatchBanner({
  watch,
  trouble,
  cluster,
}: {
  watch: Watch | null;
  trouble: Trouble | null;
  cluster?: string;
}) {
  const lines = [
    ...troubleLine(trouble, watch?.now ?? null),
    ...(watch && !trouble
      ? [...collectorLine(watch), ...clusterLines(watch, cluster), ...brokerLines(watch, cluster)]
      : []),
  ];
  return (
    <div role="status" className={lines.length > 0 ? "mb-4 grid gap-2" : ""}>
      {lines.map(({ key, outcome, text }) => (
        <p
          key={key}
          className="flex items-baseline gap-2 rounded-card border border-critical bg-critical-soft px-4 py-2.5"
        >
          <StatusShape outcome={outcome} />
          <span>{text}</span>
        </p>
      ))}
    </div>
  );
}
