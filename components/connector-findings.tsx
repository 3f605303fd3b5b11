import { type ConnectorView, recentlyClosedMs } from "@/lib/views/connector";
import { countOf, formatDuration } from "@/lib/views/format";
import { groupUnknown } from "@/lib/views/group-unknown";
import { Age } from "./age";
import { Card } from "./card";
import { CodeText } from "./code-text";
import { Disclosure } from "./disclosure";
import { FindingCard } from "./finding-card";
import { Notice } from "./notice";
import { StatusMark } from "./status-mark";
import { UnknownFindings } from "./unknown-findings";

function Nothing({ view, marked }: { view: ConnectorView; marked: string | null }) {
  if (view.findings.judgedAt === null) {
    return <Notice sentence="This connector has not been judged yet: the first look is under way." />;
  }
  if (marked && view.findings.open.length === 0) {
    return (
      <Notice
        outcome="ok"
        sentence={`Nothing is open. The check “${marked}” that the link names fires no longer.`}
      />
    );
  }
  return <Notice outcome="ok" sentence="Nothing is open." />;
}

function AllChecks({ checks }: { checks: ConnectorView["checks"] }) {
  if (checks.length === 0) return null;
  return (
    <Disclosure summary={`All ${countOf(checks.length, "check")}`}>
      <ul className="grid gap-1.5">
        {checks.map(({ slug, outcome, sentence, title }) => (
          <li
            key={slug}
            className="grid grid-cols-[128px_minmax(0,1fr)] items-baseline gap-x-3 max-md:grid-cols-1"
          >
            <span>
              <StatusMark outcome={outcome} />
            </span>
            <span>
              <CodeText text={sentence} />
              <span className="block text-xs text-text-3">{title}</span>
            </span>
          </li>
        ))}
      </ul>
    </Disclosure>
  );
}

/** Open findings, recently closed ones, and what every check says. `marked`: the slug that a link points at. */
export function ConnectorFindings({ view, marked }: { view: ConnectorView; marked: string | null }) {
  const { open, recentlyClosed, judgedAt } = view.findings;
  return (
    <Card
      id="findings"
      title="Findings"
      note={
        judgedAt ? (
          <>
            judged <Age at={judgedAt} suffix=" ago" />
          </>
        ) : null
      }
    >
      {open.length > 0 ? (
        <ul className="mt-1">
          {groupUnknown(open, (f) => f.sentence).map(([finding, ...others]) =>
            others.length > 0 ? (
              <UnknownFindings key={finding.id} findings={[finding, ...others]} marked={marked} />
            ) : (
              <FindingCard key={finding.id} finding={finding} marked={finding.slug === marked} />
            ),
          )}
        </ul>
      ) : (
        <Nothing view={view} marked={marked} />
      )}
      {recentlyClosed.length > 0 ? (
        <Disclosure
          summary={`Closed in the last ${formatDuration(recentlyClosedMs)}: ${recentlyClosed.length}`}
        >
          <ul className="-mx-4 -my-2">
            {recentlyClosed.map((finding) => (
              <FindingCard key={finding.id} finding={finding} marked={false} />
            ))}
          </ul>
        </Disclosure>
      ) : null}
      <AllChecks checks={view.checks} />
    </Card>
  );
}
