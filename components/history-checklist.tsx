import type { HistoryItem } from "@/lib/views/history-section";
import { CodeText } from "./code-text";
import { StatusMark } from "./status-mark";

/** The schema history as a check list: each verdict with the values behind it and where they come from. */
export function HistoryChecklist({ items }: { items: readonly HistoryItem[] }) {
  return (
    <ul>
      {items.map((item) => (
        <li
          key={item.slug}
          className="grid grid-cols-[136px_minmax(0,1fr)] items-baseline gap-x-4 gap-y-1 border-t border-line px-4 py-2.5 first:border-t-0 max-md:grid-cols-1"
        >
          <span>
            <StatusMark outcome={item.outcome}>{item.short || undefined}</StatusMark>
          </span>
          <div>
            <span className="font-medium">{item.title}.</span>{" "}
            <span className="text-text-2">
              <CodeText text={item.sentence} />
            </span>
            {item.evidence.length > 0 ? (
              <ul className="mt-0.5 flex flex-wrap gap-x-4 text-xs text-text-3">
                {item.evidence.map(({ label, value, from }) => (
                  <li key={label + value} className="[overflow-wrap:anywhere]">
                    {label} <span className="font-mono text-text-2">{value}</span>
                    {from ? ` · ${from}` : ""}
                  </li>
                ))}
              </ul>
            ) : null}
          </div>
        </li>
      ))}
    </ul>
  );
}
