"use client";

import { useState } from "react";
import type { DecodedRecord } from "@/lib/debezium/decode-report";
import { asSentence, countOf } from "@/lib/views/format";
import { placeText } from "./commit-age";
import { CopyButton } from "./copy-button";
import { DecodedFields, DecodedWarnings } from "./decoded-fields";
import { Moment } from "./moment";
import { StatusMark } from "./status-mark";

/** Records that are drawn at once; more on demand. */
const atOnce = 50;

function placeOf({ topic, partition, offset }: DecodedRecord): string | null {
  if (topic === null) return null;
  if (partition === null || offset === null) return topic;
  return placeText({ topic, partition, offset });
}

function Head({ record }: { record: DecodedRecord }) {
  const { kind, text, position } = record;
  const place = placeOf(record);
  return (
    <>
      <span className="flex flex-wrap items-baseline gap-x-2 gap-y-0.5">
        <StatusMark outcome={kind === "unreadable" ? "unknown" : "info"}>
          {kind === "unreadable" ? "not readable" : kind.replace("-", " ")}
        </StatusMark>
        <span className="font-medium [overflow-wrap:anywhere]">{text}</span>
        {position ? (
          <span className="font-mono text-[.93em] [overflow-wrap:anywhere]">{position.text}</span>
        ) : null}
      </span>
      {place || record.timestamp ? (
        <span className="block text-xs text-text-3 [overflow-wrap:anywhere]">
          {place}
          {place && record.timestamp ? " · " : ""}
          {record.timestamp ? <Moment at={record.timestamp} /> : null}
        </span>
      ) : null}
    </>
  );
}

function Fact({ name, children }: { name: string; children: React.ReactNode }) {
  return (
    <div className="contents">
      <dt className="text-text-3">{name}</dt>
      <dd className="[overflow-wrap:anywhere] max-md:mb-1">{children}</dd>
    </div>
  );
}

function Identity({ identity }: { identity: NonNullable<DecodedRecord["identity"]> }) {
  return (
    <Fact name="identity">
      {identity.id === null ? (
        <span className="text-text-2">none: {identity.why}</span>
      ) : (
        <>
          <span className="inline-flex items-start gap-1">
            <span className="font-mono text-[.93em]">{identity.id}</span>
            <CopyButton text={identity.id} label="the identity" />
          </span>
          {identity.why ? <span className="block text-xs text-text-3">{identity.why}</span> : null}
        </>
      )}
    </Fact>
  );
}

function Body({ record }: { record: DecodedRecord }) {
  const { position, run, identity, sourceTime, fields, warnings, remedy } = record;
  return (
    <div className="grid gap-3 pt-2">
      {remedy ? <p>{asSentence(remedy)}</p> : null}
      {position || run || identity || sourceTime ? (
        <dl className="grid grid-cols-[fit-content(14rem)_minmax(0,1fr)] items-baseline gap-x-4 gap-y-1 max-md:grid-cols-1 max-md:gap-y-0.5">
          {position ? (
            <Fact name="position">
              <span className="font-mono text-[.93em]">{position.text}</span>
              <span className="block text-xs text-text-3">{position.meaning}</span>
            </Fact>
          ) : null}
          {sourceTime ? (
            <Fact name="source time">
              <Moment at={sourceTime} />
            </Fact>
          ) : null}
          {run ? (
            <Fact name="run">
              <span className="font-mono text-[.93em]">{run.id}</span>
              {run.startedAt ? (
                <span className="block text-xs text-text-3">
                  The run of the task that wrote it; begun <Moment at={run.startedAt} />.
                </span>
              ) : null}
            </Fact>
          ) : null}
          {identity ? <Identity identity={identity} /> : null}
        </dl>
      ) : null}
      <DecodedWarnings warnings={warnings} />
      {fields.length > 0 ? <DecodedFields fields={fields} /> : null}
    </div>
  );
}

function Item({ record, open }: { record: DecodedRecord; open: boolean }) {
  const hasMore = record.fields.length > 0 || record.identity !== null || record.run !== null;
  if (!hasMore && record.remedy === null)
    return (
      <li className="border-t border-line px-4 py-2.5 pl-9">
        <Head record={record} />
      </li>
    );
  return (
    <li className="border-t border-line px-4 py-2.5">
      <details open={open} className="group">
        <summary className="grid grid-cols-[12px_minmax(0,1fr)] gap-x-2">
          <span aria-hidden="true" className="h-fit text-text-3 group-open:rotate-90">
            ▸
          </span>
          <span>
            <Head record={record} />
          </span>
        </summary>
        <div className="pl-5">
          <Body record={record} />
        </div>
      </details>
    </li>
  );
}

/** Records of topics, each in a line; a lone one is open. */
export function DecodedRecords({ records }: { records: readonly DecodedRecord[] }) {
  const [shown, setShown] = useState(atOnce);
  const rest = records.length - shown;
  return (
    <>
      <ul className="mt-2">
        {records.slice(0, shown).map((record, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the same record may be pasted twice
          <Item key={index} record={record} open={records.length === 1} />
        ))}
      </ul>
      {rest > 0 ? (
        <p className="border-t border-line px-4 py-2.5">
          <button
            type="button"
            className="rounded-card border border-line-strong bg-surface px-2.5 py-1 hover:bg-sunken"
            onClick={() => setShown(shown + atOnce)}
          >
            Show {countOf(Math.min(rest, atOnce), "more record")}
          </button>{" "}
          <span className="text-text-3">of {countOf(rest, "record")} left</span>
        </p>
      ) : null}
    </>
  );
}
