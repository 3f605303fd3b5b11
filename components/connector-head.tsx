import Link from "next/link";
import type { ConnectorView } from "@/lib/views/connector";
import { fleetPath } from "@/lib/views/paths";
import { Age } from "./age";
import { CodeText } from "./code-text";
import { CopyButton } from "./copy-button";
import { FreshnessNote } from "./freshness-note";
import { RunMark } from "./run-mark";
import { StatusMark, StatusShape } from "./status-mark";

const sections = [
  { id: "findings", name: "Findings" },
  { id: "position", name: "Position" },
  { id: "replay-window", name: "Replay window" },
  { id: "duplicates", name: "Duplicates" },
  { id: "schema-history", name: "Schema history" },
  { id: "tasks", name: "Tasks and topics" },
];

function Facts({ view }: { view: ConnectorView }) {
  const { head } = view;
  return (
    <p className="text-text-2 [overflow-wrap:anywhere]">
      <span title={head.connectorClass ?? undefined}>{head.type ?? "Type not reported"}</span>
      {head.role ? ` ${head.role}` : ""} connector {head.version}
      {head.topicPrefix ? (
        <>
          {" "}
          · <span className="font-mono text-[.93em]">topic.prefix={head.topicPrefix}</span>
        </>
      ) : null}
      {head.worker ? (
        <>
          {" "}
          · on worker <span className="font-mono text-[.93em]">{head.worker}</span>
        </>
      ) : null}
    </p>
  );
}

function States({ view }: { view: ConnectorView }) {
  const { state, stateSince, tasks } = view.head;
  return (
    <span className="flex flex-wrap items-center gap-2">
      {state ? (
        <span className="inline-flex items-baseline gap-1.5">
          <RunMark mark={state} />
          {stateSince && !state.past ? (
            <span className="text-xs text-text-3">
              for <Age at={stateSince} />
            </span>
          ) : null}
        </span>
      ) : (
        <StatusMark outcome="unknown">state not reported</StatusMark>
      )}
      {tasks ? <RunMark mark={tasks} /> : null}
      <CopyButton text={() => window.location.href} label="the link to this page">
        Copy link
      </CopyButton>
    </span>
  );
}

/** Name, states and the page in one sentence. */
export function ConnectorHead({ view }: { view: ConnectorView }) {
  return (
    <>
      <div className="flex flex-wrap items-start gap-x-4 gap-y-2">
        <div className="min-w-0">
          <p className="text-text-3">
            <Link href={fleetPath}>Fleet</Link> /{" "}
            <Link href={`${fleetPath}?cluster=${encodeURIComponent(view.cluster)}`}>{view.cluster}</Link>
          </p>
          <h1 className="text-xl font-bold tracking-tight [overflow-wrap:anywhere]">{view.connector}</h1>
          <Facts view={view} />
        </div>
        <span className="md:ml-auto">
          <States view={view} />
        </span>
      </div>
      {view.missingSince ? (
        <p className="mt-3 rounded-card border border-warning bg-warning-soft px-4 py-2.5">
          <StatusShape outcome="warning" /> Kafka Connect has not listed this connector for{" "}
          <Age at={view.missingSince} />. It was deleted or renamed; what you see is the last that was known.
        </p>
      ) : null}
      <p className="mt-2 flex max-w-[82ch] items-baseline gap-2 text-lg">
        <StatusShape outcome={view.verdict.outcome} />
        <span>
          <CodeText text={view.verdict.sentence} />
        </span>
      </p>
      <p className="mt-0.5 text-xs text-text-3">
        <FreshnessNote freshness={view.head.freshness} />
      </p>
      <nav
        aria-label="On this page"
        className="print:hidden mt-3 mb-4 flex gap-3.5 overflow-x-auto border-b border-line"
      >
        {sections.map(({ id, name }) => (
          <a key={id} href={`#${id}`} className="py-2 whitespace-nowrap text-text-2">
            {name}
          </a>
        ))}
      </nav>
    </>
  );
}
