import { groupUnknown } from "@/lib/views/group-unknown";
import type { HistoryItem } from "@/lib/views/history-section";
import { CodeText } from "./code-text";
import { StatusMark } from "./status-mark";

function Evidence({ evidence }: { evidence: HistoryItem["evidence"] }) {
  if (evidence.length === 0) return null;
  return (
    <ul className="mt-0.5 flex flex-wrap gap-x-4 text-xs text-text-3">
      {evidence.map(({ label, value, from }) => (
        <li key={label + value} className="[overflow-wrap:anywhere]">
          {label} <span className="font-mono text-text-2">{value}</span>
          {from ? ` · ${from}` : ""}
        </li>
      ))}
    </ul>
  );
}

/** The schema history as a check list: each verdict with the values behind it and where they come from. */
export function HistoryChecklist({ items }: { items: readonly HistoryItem[] }) {
  return (
    <ul>
      {groupUnknown(items, (i) => i.sentence).map(([item, ...others]) => (
        <li
          key={item.slug}
          className="grid grid-cols-[136px_minmax(0,1fr)] items-baseline gap-x-4 gap-y-1 border-t border-line px-4 py-2.5 first:border-t-0 max-md:grid-cols-1"
        >
          <span>
            <StatusMark outcome={item.outcome}>{item.short || undefined}</StatusMark>
          </span>
          <div>
            <CodeText text={item.sentence} />
            <Evidence evidence={item.evidence} />
            <span className="mt-0.5 block text-xs text-text-3">
              {others.length > 0 ? "Cannot be judged: " : ""}
              {[item, ...others].map((i) => i.title).join(", ")}
            </span>
          </div>
        </li>
      ))}
    </ul>
  );
}
