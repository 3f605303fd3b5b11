/** A few choices side by side, of which one holds. */
export function Choice<T extends string>({
  legend,
  choices,
  chosen,
  choose,
}: {
  /** For readers that cannot see. */
  legend: string;
  choices: readonly { value: T; name: string; title: string }[];
  chosen: T;
  choose: (value: T) => void;
}) {
  return (
    <fieldset className="print:hidden inline-flex rounded-card border border-line-strong bg-surface">
      <legend className="sr-only">{legend}</legend>
      {choices.map(({ value, name, title }) => (
        <button
          key={value}
          type="button"
          aria-pressed={value === chosen}
          title={title}
          className={`h-7 px-2.5 text-xs first:rounded-l-card last:rounded-r-card ${
            value === chosen ? "bg-accent-soft font-semibold text-text" : "text-text-2 hover:bg-sunken"
          }`}
          onClick={() => choose(value)}
        >
          {name}
        </button>
      ))}
    </fieldset>
  );
}
