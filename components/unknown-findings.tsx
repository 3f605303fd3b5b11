import type { FindingDetail } from "@/lib/views/findings";
import { countOf } from "@/lib/views/format";
import { Age } from "./age";
import { CodeText } from "./code-text";
import { StatusMark } from "./status-mark";

/** Several checks that cannot judge for one and the same reason. */
export function UnknownFindings({
  findings,
  marked,
}: {
  findings: readonly [FindingDetail, ...FindingDetail[]];
  marked: string | null;
}) {
  const [first] = findings;
  const since = findings.map((f) => f.openedAt).sort()[0] ?? first.openedAt;
  const isMarked = findings.some((f) => f.slug === marked);
  return (
    <li
      className={`border-t border-line px-4 py-3 first:border-t-0 ${
        isMarked ? "bg-accent-soft outline-2 -outline-offset-2 outline-accent" : ""
      }`}
    >
      <div className="grid grid-cols-[96px_minmax(0,1fr)_max-content] items-baseline gap-x-4 gap-y-1 max-md:grid-cols-[1fr_max-content]">
        <span>
          <StatusMark outcome="unknown" />
        </span>
        <div className="max-md:order-3 max-md:col-span-2">
          <p className="font-semibold">
            {countOf(findings.length, "check")} cannot judge. <CodeText text={first.sentence} />
          </p>
          <ul className="mt-1.5 flex flex-wrap gap-x-3 gap-y-0.5 text-xs text-text-3">
            {findings.map(({ slug, title }) => (
              <li
                key={slug}
                id={`finding-${slug}`}
                tabIndex={-1}
                className={slug === marked ? "font-semibold text-text" : ""}
              >
                {title} · <span className="font-mono">{slug}</span>
              </li>
            ))}
          </ul>
        </div>
        <span className="text-xs whitespace-nowrap text-text-3">
          open <Age at={since} />
        </span>
      </div>
    </li>
  );
}
