/** A panel with a heading; `note` stands small beside it, `stale` hatches it. */
export function Card({
  id,
  title,
  note,
  action,
  stale = false,
  children,
  className = "",
}: {
  id?: string;
  title: string;
  note?: React.ReactNode;
  action?: React.ReactNode;
  stale?: boolean;
  children: React.ReactNode;
  className?: string;
}) {
  return (
    <section
      id={id}
      aria-label={title}
      data-stale={stale || undefined}
      className={`min-w-0 scroll-mt-3 rounded-card border border-line bg-surface shadow-card ${stale ? "stale" : ""} ${className}`}
    >
      <div className="flex flex-wrap items-baseline gap-x-2 px-4 pt-3">
        <h2 className="text-sm font-semibold">{title}</h2>
        {note ? <span className="text-xs text-text-3">{note}</span> : null}
        {action ? <span className="ml-auto">{action}</span> : null}
      </div>
      {children}
    </section>
  );
}
