import { countOf } from "@/lib/views/format";
import { groupUnknown } from "@/lib/views/group-unknown";
import type { HistoryItem } from "@/lib/views/history-section";
import { CodeText } from "./code-text";
import { StatusMark } from "./status-mark";

interface Values {
  from: string | null;
  values: HistoryItem["evidence"];
}

/** Values of one source stand together, so that the source is told once. */
function bySource(evidence: HistoryItem["evidence"]): Values[] {
  const groups: Values[] = [];
  for (const item of evidence) {
    const last = groups.at(-1);
    if (last && last.from === item.from) last.values.push(item);
    else groups.push({ from: item.from, values: [item] });
  }
  return groups;
}

function Evidence({ evidence }: { evidence: HistoryItem["evidence"] }) {
  return (
    <span className="flex flex-wrap gap-x-4 gap-y-0.5 text-xs text-text-3">
      {bySource(evidence).map(({ from, values }) => (
        <span key={values.map((v) => v.label).join()} className="[overflow-wrap:anywhere]">
          {values.map(({ label, value }, index) => (
            <span key={label}>
              {index > 0 ? ", " : ""}
              {label} <span className="font-mono text-text-2">{value}</span>
            </span>
          ))}
          {from ? ` · ${from}` : ""}
        </span>
      ))}
    </span>
  );
}

/** What a good line says is said by its mark and values; the sentence only where there are none. */
function Said({ item }: { item: HistoryItem }) {
  if (item.outcome === "ok") {
    if (item.evidence.length > 0) return <Evidence evidence={item.evidence} />;
    return (
      <span className="text-xs text-text-3">
        <CodeText text={item.sentence} />
      </span>
    );
  }
  return (
    <>
      <p className="mb-0.5">
        <CodeText text={item.sentence} />
      </p>
      <Evidence evidence={item.evidence} />
    </>
  );
}

/** The schema history as a check list: how each thing is, what it is, and the values with where they come from. */
export function HistoryChecklist({ items }: { items: readonly HistoryItem[] }) {
  return (
    <ul>
      {groupUnknown(items, (i) => i.sentence).map(([item, ...others]) => (
        <li
          key={item.slug}
          className={`grid grid-cols-[minmax(136px,max-content)_136px_minmax(0,1fr)] items-baseline gap-x-4 gap-y-1 border-t border-line px-4 first:border-t-0 max-md:grid-cols-[max-content_minmax(0,1fr)] max-md:gap-x-2.5 ${
            item.outcome === "ok" ? "py-1.5" : "py-2.5"
          }`}
        >
          <span>
            <StatusMark outcome={item.outcome}>{item.short || undefined}</StatusMark>
          </span>
          <span className="font-medium">
            {others.length > 0 ? countOf(1 + others.length, "check") : item.about}
          </span>
          <div className="max-md:col-span-2">
            <Said item={item} />
            {others.length > 0 ? (
              <p className="text-xs text-text-3">
                Cannot be judged: {[item, ...others].map((i) => i.about).join(", ")}
              </p>
            ) : null}
          </div>
        </li>
      ))}
    </ul>
  );
}
