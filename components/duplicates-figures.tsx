import type { DuplicatesFigure, DuplicatesSection } from "@/lib/views/duplicates-schema";
import { countOf, formatCount } from "@/lib/views/format";
import { Moment } from "./moment";
import { StatusMark } from "./status-mark";

/** `at least 0.8 %` in three parts, so that the number can stand out. */
function parts(words: string): { before: string; number: string; after: string } {
  const match = /^(\D*?)([<>≤≥]?\s?\d[\d,.]*)(.*)$/s.exec(words);
  const [, before = "", number = words, after = ""] = match ?? [];
  return { before: before.trim(), number, after: after.trim() };
}

function Figure({
  label,
  words,
  unit,
  below,
}: {
  label: string;
  words: string;
  unit?: string;
  below: React.ReactNode;
}) {
  const { before, number, after } = parts(words);
  return (
    <div className="min-w-0">
      <dt className="text-xs text-text-3">{label}</dt>
      <dd>
        {words === "unknown" ? (
          <span className="inline-block py-1">
            <StatusMark outcome="unknown">unknown</StatusMark>
          </span>
        ) : (
          <span className="whitespace-nowrap">
            {before ? <span className="text-text-2">{before} </span> : null}
            <span className="text-2xl font-bold tracking-tight">{number}</span>
            <span className="text-text-2">
              {after ? `\u00a0${after}` : null}
              {unit ? ` ${unit}` : null}
            </span>
          </span>
        )}
        <div className="text-xs text-text-3">{below}</div>
      </dd>
    </div>
  );
}

function inReplays({ replays, duplicates }: DuplicatesFigure): string {
  if (duplicates === 0) return "no replay found";
  // One restart shows in many partitions, and would be read as many restarts.
  return `in ${countOf(replays, "replay")}${replays > 1 ? ", counted by partition" : ""}`;
}

function ofBase({ records }: DuplicatesFigure): string {
  return records === null ? "\u00a0" : `of ${formatCount(records)} offsets`;
}

/** What came twice: of the last day, and of all that is kept. */
export function DuplicatesFigures({ section }: { section: DuplicatesSection }) {
  const { day, all, since, behind } = section;
  if (!day || !all) return null;
  return (
    <>
      <dl className="grid grid-cols-2 gap-x-6 gap-y-3 md:flex md:flex-wrap md:gap-x-10 [&>:first-child]:col-span-2">
        <Figure
          label="Delivered twice, last 24 hours"
          words={day.countWords}
          unit={day.duplicates === 1 ? "change" : "changes"}
          below={
            day.countWords === "unknown"
              ? day.duplicates === 0
                ? "none found so far"
                : "\u00a0"
              : inReplays(day)
          }
        />
        <Figure label="Rate, last 24 hours" words={day.rateWords} below={ofBase(day)} />
        <Figure
          label="Rate, all measured"
          words={all.rateWords}
          below={
            <>
              {all.records === null ? null : `${formatCount(all.duplicates)} ${ofBase(all)}`}
              {since ? (
                <>
                  {all.records === null ? "since " : ", since "}
                  <Moment at={since} />
                </>
              ) : null}
            </>
          }
        />
      </dl>
      {day.why ? <p className="mt-2 text-text-2">{day.why}</p> : null}
      {behind > 0 ? (
        <p className="mt-1 text-xs text-text-3">
          Being measured backwards, newest first: {countOf(behind, "offset")} to go.
        </p>
      ) : null}
    </>
  );
}
