import type { DecodedPartition } from "@/lib/debezium/decode-report";
import { asSentence } from "@/lib/views/format";
import { Age } from "./age";
import { CommandBlock } from "./command-block";
import { CopyButton } from "./copy-button";
import { DecodedFields, DecodedWarnings } from "./decoded-fields";
import { Moment } from "./moment";
import { StatusMark } from "./status-mark";

type WithRaw = DecodedPartition & { raw?: { partition: string; offset: string } | null };

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
        <DecodedWarnings warnings={partition.warnings} className="mt-2" />
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
      <DecodedFields fields={position.fields} />
      {children ? <div className="min-w-0 lg:col-span-full">{children}</div> : null}
    </div>
  );
}
