import type { DecodedPartition } from "@/lib/debezium/decode-report";
import { asSentence, countOf } from "@/lib/views/format";
import { Age } from "./age";
import { CommandBlock } from "./command-block";
import { CopyButton } from "./copy-button";
import { Moment } from "./moment";
import { StatusMark, StatusShape } from "./status-mark";

type WithRaw = DecodedPartition & { raw?: { partition: string; offset: string } | null };

function Warnings({ warnings }: { warnings: DecodedPartition["warnings"] }) {
  if (warnings.length === 0) return null;
  return (
    <ul className="mt-2 grid gap-1">
      {warnings.map(({ slug, text }) => (
        <li key={slug + text} className="flex items-baseline gap-2">
          <StatusShape outcome="warning" />
          <span>{text}</span>
        </li>
      ))}
    </ul>
  );
}

type Field = DecodedPartition["position"]["fields"][number];

/** One counter for each table of a transaction: many, long, and seldom what one looks for. */
function isOrderCounter({ name }: Field): boolean {
  return name.startsWith("transaction_data_collection_order_");
}

function Fields({ fields }: { fields: readonly Field[] }) {
  const counters = fields.filter(isOrderCounter);
  return (
    <div className="min-w-0">
      <FieldList fields={fields.filter((f) => !isOrderCounter(f))} />
      {counters.length > 0 ? (
        <details className="mt-2">
          <summary className="text-accent hover:underline">
            {countOf(counters.length, "more field")}: changes of each table in the transaction
          </summary>
          <div className="mt-1.5">
            <FieldList fields={counters} />
          </div>
        </details>
      ) : null}
    </div>
  );
}

function FieldList({ fields }: { fields: readonly Field[] }) {
  return (
    <dl className="grid grid-cols-[fit-content(14rem)_minmax(0,1fr)] items-baseline gap-x-4 gap-y-1.5 max-md:grid-cols-1 max-md:gap-y-0.5">
      {fields.map(({ name, raw, text, meaning }) => (
        <div key={name} className="contents">
          <dt className="font-mono text-[.93em] text-text-3 [overflow-wrap:anywhere]">{name}</dt>
          <dd className="max-md:mb-1.5">
            <span className="font-mono text-[.93em] [overflow-wrap:anywhere]" title={`stored as ${raw}`}>
              {text}
            </span>
            <span className="block text-xs text-text-3">{meaning}</span>
          </dd>
        </div>
      ))}
    </dl>
  );
}

function phaseOutcome(phase: DecodedPartition["phase"]) {
  if (phase === "streaming") return "ok" as const;
  return phase === "unknown" ? ("unknown" as const) : ("info" as const);
}

/**
 * One source partition: its position, what it means, each field explained, the raw JSON on demand. `wide`: fields
 * stand beside it. `children` stand below both.
 */
export function DecodedPartitionView({
  partition,
  wide = false,
  children,
}: {
  partition: WithRaw;
  wide?: boolean;
  children?: React.ReactNode;
}) {
  const { position, phase, phaseText, sourceTime, used, why } = partition;
  return (
    <div
      className={`border-t border-line px-4 py-3 first:border-t-0 ${
        wide ? "grid gap-x-8 gap-y-3 lg:grid-cols-[minmax(0,2fr)_minmax(0,3fr)]" : "grid gap-y-3"
      }`}
    >
      <div>
        <p className="font-mono text-xs text-text-3 [overflow-wrap:anywhere]">{partition.partition}</p>
        <div className="mt-1 flex items-start gap-1.5">
          <p
            className={`font-mono leading-tight font-bold [overflow-wrap:anywhere] ${position.text.length > 40 ? "text-lg" : "text-2xl"}`}
          >
            {position.text}
          </p>
          <CopyButton text={position.text} label="the position" />
        </div>
        <p className="mt-1 max-w-[78ch] text-text-2">{position.meaning}</p>
        <p className="mt-2 flex flex-wrap items-baseline gap-x-2 gap-y-1">
          <StatusMark outcome={phaseOutcome(phase)}>{phase}</StatusMark>
          {phaseText === phase ? null : <span className="text-text-2">{asSentence(phaseText)}</span>}
          {sourceTime ? (
            <span className="text-text-3">
              Source time <Moment at={sourceTime} /> (<Age at={sourceTime} suffix=" ago" />)
            </span>
          ) : null}
        </p>
        {why ? (
          <p className="mt-1 text-text-2">
            {used ? "" : "Left over: "}
            {asSentence(why)}
          </p>
        ) : null}
        <Warnings warnings={partition.warnings} />
        {partition.raw ? (
          <details className="mt-2">
            <summary className="text-accent hover:underline">Raw offset</summary>
            <CommandBlock
              text={`${partition.raw.partition}\n${partition.raw.offset}`}
              label="the raw offset"
              wrap
            />
          </details>
        ) : null}
      </div>
      <Fields fields={position.fields} />
      {children ? <div className="min-w-0 lg:col-span-full">{children}</div> : null}
    </div>
  );
}
