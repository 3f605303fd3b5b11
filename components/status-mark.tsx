import type { Outcome } from "@/lib/checks/verdict";

/** Shape and colour of an outcome. The word always stands beside it. */
const marks: Readonly<Record<Outcome, { shape: string; pill: string; text: string }>> = {
  critical: { shape: "●", pill: "bg-critical-soft text-critical", text: "text-critical" },
  warning: { shape: "▲", pill: "bg-warning-soft text-warning", text: "text-warning" },
  unknown: { shape: "?", pill: "bg-unknown-soft text-unknown", text: "text-unknown" },
  info: { shape: "○", pill: "bg-info-soft text-info", text: "text-info" },
  ok: { shape: "✓", pill: "bg-ok-soft text-ok", text: "text-ok" },
  "not-applicable": { shape: "–", pill: "bg-sunken text-text-3", text: "text-text-3" },
};

function Shape({ outcome }: { outcome: Outcome }) {
  return (
    <span aria-hidden="true" className="inline-block w-[1em] flex-none text-center">
      {marks[outcome].shape}
    </span>
  );
}

/** A status by shape, colour and word. Without children the word is the outcome itself. */
export function StatusMark({
  outcome,
  children,
  title,
}: {
  outcome: Outcome;
  children?: React.ReactNode;
  title?: string;
}) {
  return (
    <span
      title={title}
      className={`inline-flex items-center gap-1 rounded-[10px] px-2 py-px text-xs font-semibold whitespace-nowrap ${marks[outcome].pill}`}
    >
      <Shape outcome={outcome} />
      {children ?? outcome.replace("-", " ")}
    </span>
  );
}

/** Only the shape in its colour, for lists in which the words follow; read out as the outcome. */
export function StatusShape({ outcome }: { outcome: Outcome }) {
  return (
    <span className={`font-semibold ${marks[outcome].text}`}>
      <Shape outcome={outcome} />
      <span className="sr-only">{outcome.replace("-", " ")}: </span>
    </span>
  );
}
