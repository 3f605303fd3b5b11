import { connectorLabel, connectorTypes, isConnectorType } from "@/lib/debezium/connector-type";
import type { DecodeAnswer, DecodeRequest } from "@/lib/views/decode-request";
import type { AnswerError } from "@/lib/views/error-answer";
import { decodeExamples } from "./decode-examples";

export type DecodeOutcome =
  | { answer: DecodeAnswer; error?: undefined }
  | { answer?: undefined; error: AnswerError };

export interface DecodeFormProps {
  request: DecodeRequest;
  setRequest: (request: DecodeRequest) => void;
  outcome: DecodeOutcome | null;
}

/** Where an offset or records are pasted. */
export function DecodeForm({ request, setRequest, outcome }: DecodeFormProps) {
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
            <option value="">by its content</option>
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
        Offset or records
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
