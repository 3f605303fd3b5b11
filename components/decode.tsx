"use client";

import { DecodeForm, type DecodeFormProps } from "./decode-form";
import { DecodeReports } from "./decode-reports";

/** The Decode page: paste an offset or records, read what they mean. */
export function Decode(props: DecodeFormProps) {
  return (
    <>
      <h1 className="text-[18px] font-semibold tracking-tight">Decode a source offset or records</h1>
      <p className="mt-1 mb-3.5 max-w-[82ch] text-text-2">
        Paste an offset, a list of them, a whole answer of <code>GET /connectors/…/offsets</code>, or records
        of any topic: change events, notifications, transactions, schema history. It is explained as you type,
        on this machine; nothing is kept.
      </p>
      <div className="grid items-start gap-3.5 lg:grid-cols-2">
        <DecodeForm {...props} />
        {props.outcome?.answer ? <DecodeReports answer={props.outcome.answer} /> : null}
      </div>
    </>
  );
}
