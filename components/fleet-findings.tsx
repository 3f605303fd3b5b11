"use client";

import Link from "next/link";
import { useState } from "react";
import type { FindingLine } from "@/lib/views/findings";
import { countOf, formatCount } from "@/lib/views/format";
import { groupUnknown } from "@/lib/views/group-unknown";
import { Age } from "./age";
import { CodeText } from "./code-text";
import { StatusMark } from "./status-mark";

/** So many are listed at first; the rest at a click. */
const first = 8;

function subjectOf({ connector, cluster }: FindingLine): string {
  return connector ?? cluster;
}

function Line({ finding, alike }: { finding: FindingLine; alike: number }) {
  return (
    <li className="grid grid-cols-[96px_minmax(120px,170px)_minmax(0,1fr)_max-content_max-content] items-baseline gap-x-3.5 gap-y-0.5 border-t border-line px-4 py-2.5 first:border-t-0 max-md:grid-cols-[max-content_minmax(0,1fr)_max-content]">
      <span>
        <StatusMark outcome={finding.outcome} />
      </span>
      <Link href={finding.path} className="truncate font-medium" title={subjectOf(finding)}>
        {subjectOf(finding)}
      </Link>
      <span className="[overflow-wrap:anywhere] max-md:order-last max-md:col-span-3">
        {alike > 1 ? `${countOf(alike, "check")} cannot judge. ` : ""}
        <CodeText text={finding.sentence} />
        {finding.unconfirmedWhy ? (
          <span className="text-unknown" title={finding.unconfirmedWhy}>
            {" "}
            ? not confirmed now
          </span>
        ) : null}
      </span>
      <span className="text-text-3 max-md:text-xs">
        open <Age at={finding.openedAt} />
      </span>
      <Link
        href={finding.path}
        className="whitespace-nowrap max-md:hidden"
        aria-label={`Look at ${finding.title} of ${subjectOf(finding)}`}
      >
        Look →
      </Link>
    </li>
  );
}

/** What cannot be judged, in one line under what can: it must not crowd out what is known to be bad. */
function Unknown({ findings }: { findings: readonly FindingLine[] }) {
  const [open, setOpen] = useState(false);
  if (findings.length === 0) return null;
  const subjects = [...new Set(findings.map(subjectOf))];
  const groups = groupUnknown(findings, (f) => JSON.stringify([f.cluster, f.connector, f.sentence]));
  return (
    <>
      <button
        type="button"
        className="flex w-full items-baseline gap-3.5 border-t border-line px-4 py-2.5 text-left first:border-t-0 hover:bg-sunken"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
      >
        <span className="flex-none md:w-[96px]">
          <StatusMark outcome="unknown" />
        </span>
        <span className="min-w-0 flex-1 text-text-2 md:truncate">
          {countOf(findings.length, "check")} cannot judge: {subjects.join(", ")}
        </span>
        <span className="flex-none text-accent">{open ? "Hide" : "Show"}</span>
      </button>
      {open ? (
        <ul className="border-t border-line">
          {groups.map(([finding, ...others]) => (
            <Line key={finding.id} finding={finding} alike={1 + others.length} />
          ))}
        </ul>
      ) : null}
    </>
  );
}

/** Open findings, worst first; what is unknown below in one line. `total`: how many are open, when not all are given. */
export function FleetFindings({ findings, total }: { findings: readonly FindingLine[]; total: number }) {
  const [all, setAll] = useState(false);
  if (findings.length === 0) return null;
  const judged = findings.filter((f) => f.outcome !== "unknown");
  const shown = all ? judged : judged.slice(0, first);
  const unlisted = total - findings.length;
  const more = judged.length - first + unlisted;
  return (
    <section
      aria-label="Open findings, worst first"
      className="mb-4 overflow-hidden rounded-card border border-line bg-surface shadow-card"
    >
      {shown.length > 0 ? (
        <ul>
          {shown.map((finding) => (
            <Line key={finding.id} finding={finding} alike={1} />
          ))}
        </ul>
      ) : null}
      {more > 0 ? (
        <button
          type="button"
          className="w-full border-t border-line px-4 py-2 text-left text-accent hover:bg-sunken"
          aria-expanded={all}
          onClick={() => setAll(!all)}
        >
          {all ? `Show the worst ${first} only` : `and ${formatCount(more)} more`}
        </button>
      ) : null}
      {all && unlisted > 0 ? (
        <p className="border-t border-line px-4 py-2 text-text-3">
          {formatCount(unlisted)} more are not listed here: see each connector.
        </p>
      ) : null}
      <Unknown findings={findings.filter((f) => f.outcome === "unknown")} />
    </section>
  );
}
