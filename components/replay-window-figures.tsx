import type { ConnectorView } from "@/lib/views/connector";
import { countOf, formatBytes, formatCount, formatDuration } from "@/lib/views/format";
import type { ReplayWindowSection } from "@/lib/views/replay-window-schema";
import { Moment } from "./moment";
import { type ReplayHistory, rangeWords } from "./replay-history";
import { StatusMark, StatusShape } from "./status-mark";

type Words = NonNullable<ReplayWindowSection["words"]>;

/** `at most 310 events`, `110 to 1,210 events` in three parts, so that the number or numbers can stand out. */
function parts(headline: string): { before: string; number: string; after: string } | null {
  const match = /^(.*?)(\d[\d,]*(?: to \d[\d,]*)?)(.*)$/s.exec(headline);
  if (!match) return null;
  const [, before = "", number = "", after = ""] = match;
  return { before: before.trim(), number, after: after.trim() };
}

function Figure({
  children,
  below,
  label,
}: {
  children: React.ReactNode;
  below: React.ReactNode;
  label: string;
}) {
  return (
    <div className="min-w-0">
      <dt className="text-xs text-text-3">{label}</dt>
      <dd>
        {children}
        <div className="text-xs text-text-3">{below}</div>
      </dd>
    </div>
  );
}

function Big({ children }: { children: React.ReactNode }) {
  return <span className="text-2xl font-bold tracking-tight">{children}</span>;
}

function Now({ words, stands }: { words: Words; stands: boolean }) {
  const label = `A ${stands ? "start" : "crash"} now would replay`;
  const told = parts(words.headline);
  if (!told)
    return (
      <Figure label={label} below=" ">
        <span className="inline-block py-1">
          <StatusMark outcome="unknown">{words.headline}</StatusMark>
        </span>
      </Figure>
    );
  return (
    <Figure label={label} below={words.beside ?? " "}>
      {told.before ? <span className="text-text-2">{told.before} </span> : null}
      <span className={told.number.includes(" ") ? undefined : "whitespace-nowrap"}>
        <Big>{told.number}</Big> <span className="text-text-2">{told.after}</span>
      </span>
    </Figure>
  );
}

function Count({ value, unit }: { value: number | null; unit: string }) {
  if (value === null)
    return (
      <span className="inline-block py-1">
        <StatusMark outcome="unknown">unknown</StatusMark>
      </span>
    );
  return (
    <span className="whitespace-nowrap">
      <Big>{formatCount(value)}</Big> <span className="text-text-2">{unit}</span>
    </span>
  );
}

/** Grey, of a figure's size. */
function Waiting() {
  return <span aria-hidden="true" className="inline-block h-7 w-24 rounded-card bg-sunken align-middle" />;
}

function OverTime({ history, unit }: { history: ReplayHistory; unit: string }) {
  const { view, range, trouble } = history;
  const found = view?.statistics.find((s) => s.range === range);
  const { long } = rangeWords[range];
  if (!found) {
    const waiting = trouble ? "see below" : "on its way";
    return (
      <>
        {[`Typical, ${long}`, `Worst, ${long}`].map((label) => (
          <Figure key={label} label={label} below={waiting}>
            {trouble ? <Count value={null} unit={unit} /> : <Waiting />}
          </Figure>
        ))}
      </>
    );
  }
  const p95 =
    found.p95 === null || found.p95 === 0 ? "" : `, 95\u00a0% of looks up to ${formatCount(found.p95)}`;
  return (
    <>
      <Figure label={`Typical, ${long}`} below={`median${p95}`}>
        <Count value={found.median} unit={unit} />
      </Figure>
      <Figure
        label={`Worst, ${long}`}
        below={found.worstAt && found.worst !== 0 ? <Moment at={found.worstAt} /> : " "}
      >
        <Count value={found.worst} unit={unit} />
      </Figure>
    </>
  );
}

/** `a`, `a and b`, `a, b and c`. */
function listed(parts: readonly string[]): string {
  return [parts.slice(0, -1).join(", "), parts.at(-1)].filter(Boolean).join(" and ");
}

/** What replay-window-large says; undefined: it has not judged yet. */
type Judged = Pick<ConnectorView["checks"][number], "outcome" | "sentence"> | undefined;

/** Whether the window is over a limit of replay-window-large. */
function Limits({ section: { window, limits }, judged }: { section: ReplayWindowSection; judged: Judged }) {
  // A snapshot, or a first start, begins anew whatever the limit.
  if (window?.kind !== "events") return null;
  const set = [
    { limit: limits.events, value: window.events, text: (n: number) => countOf(n, "event") },
    { limit: limits.bytes, value: window.bytes, text: formatBytes },
    { limit: limits.spanMs, value: window.spanMs, text: (ms: number) => `${formatDuration(ms)} of writes` },
  ].flatMap(({ limit, value, text }) =>
    limit === null ? [] : [{ over: (value ?? 0) > limit, text: text(limit) }],
  );
  if (set.length === 0) return null;
  const broken = set.filter((l) => l.over);
  const over = broken.length > 0;
  const { recentWorst } = window;
  const lately =
    recentWorst && limits.events !== null && recentWorst.events > limits.events ? recentWorst : null;
  const outcome = over || lately ? "warning" : "ok";
  // The check knows of what was not counted: within a limit is then nobody's to say.
  if (outcome === "ok" && judged?.outcome === "unknown")
    return (
      <p className="flex items-baseline gap-2">
        <StatusShape outcome="unknown" />
        <span className="text-text-2">{judged.sentence}</span>
      </p>
    );
  const named = listed((over ? broken : set).map((l) => l.text));
  return (
    <p className="flex items-baseline gap-2">
      <StatusShape outcome={outcome} />
      <span className={over ? "font-semibold" : "text-text-2"}>
        {over ? "Over" : "Within"} the limit of {named}
        {over || !lately ? "." : null}
        {lately && !over ? (
          <>
            {" "}
            now; over it at <Moment at={lately.at} /> with {countOf(lately.events, "event")}.
          </>
        ) : null}
      </span>
    </p>
  );
}

/** Now, usually and at worst. */
export function ReplayWindowFigures({
  section,
  judged,
  history,
}: {
  section: ReplayWindowSection;
  judged: Judged;
  history: ReplayHistory;
}) {
  const { words, window } = section;
  if (!words || !window) return null;
  const unit = window.kind === "snapshot" ? "rows" : "events";
  return (
    <>
      <dl className="grid grid-cols-2 gap-x-6 gap-y-3 md:flex md:flex-wrap md:gap-x-8 [&>:first-child]:col-span-2">
        <Now words={words} stands={window.standsStill !== null} />
        <OverTime history={history} unit={unit} />
      </dl>
      <div className="mt-2">
        <Limits section={section} judged={judged} />
      </div>
    </>
  );
}
