import type { Outcome } from "@/lib/checks/verdict";
import { StatusShape } from "./status-mark";

/** What a panel says when it has nothing to show: why, and what to do. */
export function Notice({
  outcome = "unknown",
  sentence,
  remedy,
}: {
  outcome?: Outcome;
  sentence: React.ReactNode;
  remedy?: string | null;
}) {
  return (
    <div className="flex max-w-[96ch] items-baseline gap-2 px-4 pt-2 pb-4">
      <StatusShape outcome={outcome} />
      <div>
        <p className="text-text-2">{sentence}</p>
        {remedy ? <p className="mt-1">{remedy}</p> : null}
      </div>
    </div>
  );
}
