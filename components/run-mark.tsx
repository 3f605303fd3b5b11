import type { StateMark } from "@/lib/views/run-state";
import { StatusMark } from "./status-mark";

/** A state as Connect spells it; one that was seen too long ago is told as what it was. */
export function RunMark({ mark }: { mark: StateMark }) {
  return (
    <StatusMark
      outcome={mark.outcome}
      title={mark.past ? "Not seen for a while: it may have changed" : undefined}
    >
      {mark.past ? `was ${mark.state}` : mark.state}
    </StatusMark>
  );
}
