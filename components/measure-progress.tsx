import type { MeasurementView } from "@/lib/views/measure-schema";
import { Age } from "./age";
import { StatusMark } from "./status-mark";

/** How far a measurement is. Its height is the same from waiting to its end: nothing below moves while it runs. */
export function MeasureProgress({ view, cancel }: { view: MeasurementView; cancel: (() => void) | null }) {
  const { progress, measurement, mark, stuck } = view;
  const percent = progress?.share === null || !progress ? null : Math.floor(progress.share * 100);
  const parts = [progress?.done, progress?.read, progress?.rate, progress?.left].filter((part) => part);
  return (
    <div className="px-4 pt-1 pb-3.5">
      <div className="flex min-h-8 flex-wrap items-center gap-x-3 gap-y-1">
        <StatusMark outcome={mark.outcome}>{mark.words}</StatusMark>
        {percent === null || measurement.state !== "running" ? null : (
          <span className="text-2xl font-bold tracking-tight">
            {percent}
            <span className="text-base font-normal text-text-2">{"\u00a0"}%</span>
          </span>
        )}
        <span className="text-xs text-text-3">
          {measurement.endedAt ? (
            <>
              ended <Age at={measurement.endedAt} suffix=" ago" />
            </>
          ) : (
            <>
              requested <Age at={measurement.askedAt} suffix=" ago" />
            </>
          )}
        </span>
        {cancel ? (
          <button
            type="button"
            className="print:hidden ml-auto rounded-card border border-line-strong px-3 py-1 font-semibold hover:bg-sunken"
            onClick={cancel}
          >
            Cancel
          </button>
        ) : null}
      </div>
      {measurement.state === "running" || measurement.state === "waiting" ? (
        <div
          role="progressbar"
          aria-label="Measured of the topic"
          aria-valuemin={0}
          aria-valuemax={100}
          aria-valuenow={percent ?? undefined}
          className="mt-1.5 h-2 overflow-hidden rounded-[4px] bg-sunken"
        >
          <div className="h-full bg-accent" style={{ width: `${percent ?? 0}%` }} />
        </div>
      ) : null}
      <p className="mt-1.5 min-h-5 text-sm text-text-2">
        {parts.length > 0 ? parts.join(" · ") : "A collector takes it within a second or so."}
      </p>
      {stuck ? <p className="font-medium text-unknown">{stuck}</p> : null}
    </div>
  );
}
