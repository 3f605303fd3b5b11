"use client";

import { connectorLabel, connectorTypes, isConnectorType } from "@/lib/debezium/connector-type";
import type { DecodeAnswer, DecodeRequest } from "@/lib/views/decode-request";
import type { AnswerError } from "@/lib/views/error-answer";
import { CopyButton } from "./copy-button";
import { decodeExamples } from "./decode-examples";
import { DecodedPartitionView } from "./decoded-partition";
import { Notice } from "./notice";

export type DecodeOutcome =
  | { answer: DecodeAnswer; error?: undefined }
  | { answer?: undefined; error: AnswerError };

interface Props {
  request: DecodeRequest;
  setRequest: (request: DecodeRequest) => void;
  outcome: DecodeOutcome | null;
}

function Form({ request, setRequest, outcome }: Props) {
  return (
    <div className="rounded-card border border-line bg-surface p-4 shadow-card">
      <div className="mb-2 flex flex-wrap items-center gap-2">
        <label className="flex items-center gap-2">
          <span className="text-text-2">Type</span>
          <select
            value={request.type ?? ""}
            onChange={({ target }) => {
              const type = isConnectorType(target.value) ? target.value : undefined;
              setRequest({ ...request, type });
            }}
            className="h-8 rounded-card border border-line-strong bg-surface px-2"
          >
            <option value="">by its keys</option>
            {connectorTypes
              .filter((type) => type !== "unknown")
              .map((type) => (
                <option key={type} value={type}>
                  {connectorLabel(type)}
                </option>
              ))}
          </select>
        </label>
        <span className="flex flex-wrap items-center gap-2">
          <span className="text-text-3">Example</span>
          {decodeExamples.map(({ name, request: example }) => (
            <button
              key={name}
              type="button"
              className="rounded-card border border-line-strong bg-surface px-2.5 py-1 hover:bg-sunken"
              onClick={() => setRequest(example)}
            >
              {name}
            </button>
          ))}
        </span>
      </div>
      <label htmlFor="offset-text" className="sr-only">
        Offset
      </label>
      <textarea
        id="offset-text"
        data-search
        rows={9}
        spellCheck={false}
        autoComplete="off"
        value={request.text}
        aria-invalid={outcome?.error ? true : undefined}
        aria-describedby="decode-error"
        placeholder={'{"offsets":[{"partition":{"server":"shop"},"offset":{"lsn":27408640, …}}]}'}
        onChange={({ target }) => setRequest({ ...request, text: target.value })}
        className="block w-full rounded-[4px] border border-line-strong bg-sunken p-2.5 font-mono text-sm placeholder:text-text-3"
      />
      <div id="decode-error" role="status" className="mt-2 min-h-6">
        {outcome?.error ? (
          <p className="flex items-baseline gap-2 text-critical">
            <span aria-hidden="true">●</span>
            <span>
              {outcome.error.sentence} {outcome.error.remedy}
            </span>
          </p>
        ) : null}
      </div>
    </div>
  );
}

function Reports({ answer }: { answer: DecodeAnswer }) {
  return (
    <div className="grid gap-3.5">
      {answer.reports.map((report, index) => {
        const label = isConnectorType(report.connector) ? connectorLabel(report.connector) : report.connector;
        return (
          <section
            // biome-ignore lint/suspicious/noArrayIndexKey: two reports may be alike in all but their place
            key={index}
            aria-label={`Decoded as ${label}`}
            className="rounded-card border border-line bg-surface shadow-card"
          >
            <div className="flex items-center px-4 pt-3">
              <h2 className="text-sm font-semibold">
                {label}
                {report.name ? <span className="font-normal text-text-3"> · {report.name}</span> : null}
              </h2>
              <span className="ml-auto">
                <CopyButton text={JSON.stringify(report, null, 2)} label="the answer as JSON" />
              </span>
            </div>
            {report.partitions.length === 0 ? (
              <Notice outcome="info" sentence="The list of offsets is empty: none is stored." />
            ) : null}
            {report.partitions.map((partition, place) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the same partition may be pasted twice
              <DecodedPartitionView key={place} partition={partition} />
            ))}
          </section>
        );
      })}
    </div>
  );
}

/** The Decode page: paste an offset, read what it means. */
export function Decode(props: Props) {
  return (
    <>
      <h1 className="text-[18px] font-semibold tracking-tight">Decode a source offset</h1>
      <p className="mt-1 mb-3.5 max-w-[82ch] text-text-2">
        Paste an offset, a list of them, a whole answer of <code>GET /connectors/…/offsets</code>, or records
        of the offset topic. It is explained as you type, on this machine; nothing is kept.
      </p>
      <div className="grid items-start gap-3.5 lg:grid-cols-2">
        <Form {...props} />
        {props.outcome?.answer ? <Reports answer={props.outcome.answer} /> : null}
      </div>
    </>
  );
}
