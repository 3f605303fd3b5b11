import type { FindingDetail } from "@/lib/views/findings";
import { Age } from "./age";
import { CodeText } from "./code-text";
import { CommandBlock } from "./command-block";
import { StatusMark } from "./status-mark";

function EvidenceList({ evidence }: { evidence: FindingDetail["evidence"] }) {
  if (evidence.length === 0) return null;
  return (
    <dl className="mt-2 grid grid-cols-[fit-content(14rem)_minmax(0,1fr)] items-baseline gap-x-4 gap-y-0.5 max-md:grid-cols-1">
      {evidence.map(({ label, value, from }) => (
        <div key={`${label} ${value}`} className="contents">
          <dt className="text-text-3">{label}</dt>
          <dd className="[overflow-wrap:anywhere] max-md:mb-1">
            <span className="font-mono text-[.93em]">{value}</span>
            {from ? <span className="text-text-3"> · {from}</span> : null}
          </dd>
        </div>
      ))}
    </dl>
  );
}

function RemedySteps({ remedy }: { remedy: FindingDetail["remedy"] }) {
  if (remedy.length === 0) return null;
  return (
    <div className="mt-3">
      <h3 className="text-xs font-semibold text-text-3">What to do</h3>
      <ol className="mt-1 grid gap-2.5">
        {remedy.map(({ text, command }, index) => (
          <li
            key={text}
            className={remedy.length > 1 ? "grid grid-cols-[20px_minmax(0,1fr)] gap-x-2" : "min-w-0"}
          >
            {remedy.length > 1 ? (
              <span
                aria-hidden="true"
                className="mt-px grid h-5 place-items-center rounded-full bg-sunken text-xs font-semibold text-text-2"
              >
                {index + 1}
              </span>
            ) : null}
            <div className="min-w-0">
              <p className="max-w-[96ch] [overflow-wrap:anywhere]">
                <CodeText text={text} />
              </p>
              {command ? (
                <CommandBlock text={command} label={remedy.length > 1 ? `command ${index + 1}` : "command"} />
              ) : null}
            </div>
          </li>
        ))}
      </ol>
    </div>
  );
}

function Since({ finding }: { finding: FindingDetail }) {
  return (
    <span className="text-xs whitespace-nowrap text-text-3">
      {finding.closedAt ? (
        <>
          closed <Age at={finding.closedAt} suffix=" ago" />
        </>
      ) : (
        <>
          open <Age at={finding.openedAt} />
        </>
      )}
    </span>
  );
}

/** One finding: what is, the evidence, what to do. `marked` is the one that a link points at. */
export function FindingCard({ finding, marked }: { finding: FindingDetail; marked: boolean }) {
  return (
    <li
      id={finding.closedAt ? undefined : `finding-${finding.slug}`}
      data-finding={finding.slug}
      tabIndex={-1}
      className={`scroll-mt-4 border-t border-line px-4 py-3 first:border-t-0 ${
        marked ? "bg-accent-soft outline-2 -outline-offset-2 outline-accent" : ""
      }`}
    >
      <div className="grid grid-cols-[96px_minmax(0,1fr)_max-content] items-baseline gap-x-4 gap-y-1 max-md:grid-cols-[1fr_max-content]">
        <span>
          <StatusMark outcome={finding.outcome} />
        </span>
        <div className="max-md:order-3 max-md:col-span-2">
          <p className="font-semibold [overflow-wrap:anywhere]">
            <CodeText text={finding.sentence} />
          </p>
          {finding.unconfirmedWhy ? (
            <p className="mt-1 text-unknown">
              <span aria-hidden="true">? </span>
              Last confirmed <Age at={finding.confirmedAt} suffix=" ago" />; it cannot be confirmed now:{" "}
              {finding.unconfirmedWhy}
            </p>
          ) : null}
          <EvidenceList evidence={finding.evidence} />
          {finding.closedAt ? null : <RemedySteps remedy={finding.remedy} />}
          <p className="mt-2 text-xs text-text-3">
            {finding.title} · <span className="font-mono">{finding.slug}</span>
          </p>
        </div>
        <Since finding={finding} />
      </div>
    </li>
  );
}
