import { type WindowRange, windowRanges } from "@/lib/views/window-range";
import { rangeWords } from "./replay-history";

/** The time that charts and figures are over. */
export function RangeChoice({
  range,
  setRange,
}: {
  range: WindowRange;
  setRange: (range: WindowRange) => void;
}) {
  return (
    <fieldset className="print:hidden inline-flex rounded-card border border-line-strong bg-surface">
      <legend className="sr-only">Time shown</legend>
      {windowRanges.map((choice) => (
        <button
          key={choice}
          type="button"
          aria-pressed={choice === range}
          title={`The ${rangeWords[choice].long}`}
          className={`h-7 px-2.5 text-xs first:rounded-l-card last:rounded-r-card ${
            choice === range ? "bg-accent-soft font-semibold text-text" : "text-text-2 hover:bg-sunken"
          }`}
          onClick={() => setRange(choice)}
        >
          {rangeWords[choice].short}
        </button>
      ))}
    </fieldset>
  );
}
