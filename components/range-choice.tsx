import { type WindowRange, windowRanges } from "@/lib/views/window-range";
import { Choice } from "./choice";
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
    <Choice
      legend="Time shown"
      choices={windowRanges.map((value) => ({
        value,
        name: rangeWords[value].short,
        title: `The ${rangeWords[value].long}`,
      }))}
      chosen={range}
      choose={setRange}
    />
  );
}
