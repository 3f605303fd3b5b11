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
const first = 5;

function Line({ finding, alike }: { finding: FindingLine; alike: number }) {
  return (
    <li className="grid grid-cols-[96px_minmax(120px,170px)_minmax(0,1fr)_max-content_max-content] items-center gap-x-3.5 gap-y-0.5 border-t border-line px-4 py-2.5 first:border-t-0 max-md:grid-cols-[max-content_minmax(0,1fr)_max-content]">
      <span>
        <StatusMark outcome={finding.outcome} />
      </span>
      <Link
        href={finding.path}
        className="truncate font-medium"
        title={`${finding.connector ?? finding.cluster}`}
      >
        {finding.connector ?? finding.cluster}
      </Link>
      <span className="max-md:order-last max-md:col-span-3">
        {alike > 1 ? `${countOf(alike, "check")} cannot judge. ` : ""}
        <CodeText text={finding.sentence} />
        {finding.unconfirmedWhy ? (
          <span className="text-unknown" title={finding.unconfirmedWhy}>
            {" "}
            ? not confirmed now
          </span>
        ) : null}
      </span>
      <span className="text-text-3">
        open <Age at={finding.openedAt} />
      </span>
      <Link
        href={finding.path}
        className="whitespace-nowrap max-md:hidden"
        aria-label={`Look at ${finding.title} of ${finding.connector ?? finding.cluster}`}
      >
        Look →
      </Link>
    </li>
  );
}

/** Open findings of the fleet, worst first. */
export function FleetFindings({ findings, total }: { findings: readonly FindingLine[]; total: number }) {
  const [all, setAll] = useState(false);
  if (findings.length === 0) return null;
  const lines = groupUnknown(findings, (f) => JSON.stringify([f.cluster, f.connector, f.sentence]));
  const shown = all ? lines : lines.slice(0, first);
  return (
    <section
      aria-label="Open findings, worst first"
      className="mb-4 rounded-card border border-line bg-surface shadow-card"
    >
      <ul>
        {shown.map(([finding, ...others]) => (
          <Line key={finding.id} finding={finding} alike={1 + others.length} />
        ))}
      </ul>
      {lines.length > first ? (
        <button
          type="button"
          className="w-full border-t border-line px-4 py-2 text-left text-text-2 hover:bg-sunken"
          aria-expanded={all}
          onClick={() => setAll(!all)}
        >
          {all
            ? `Show the worst ${first} only`
            : `Show all ${formatCount(lines.length)}${total > findings.length ? `, the worst of ${formatCount(total)}` : ""}`}
        </button>
      ) : null}
    </section>
  );
}
