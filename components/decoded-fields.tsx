import type { DecodedField, DecodedPartition } from "@/lib/debezium/decode-report";
import { countOf } from "@/lib/views/format";
import { StatusShape } from "./status-mark";

/** What a person should know of an offset or a record. */
export function DecodedWarnings({
  warnings,
  className = "",
}: {
  warnings: DecodedPartition["warnings"];
  className?: string;
}) {
  if (warnings.length === 0) return null;
  return (
    <ul className={`grid gap-1 ${className}`}>
      {warnings.map(({ slug, text }) => (
        <li key={slug + text} className="flex items-baseline gap-2">
          <StatusShape outcome="warning" />
          <span>{text}</span>
        </li>
      ))}
    </ul>
  );
}

/** One counter for each table of a transaction: many, long, and seldom what one looks for. */
function isOrderCounter({ name }: DecodedField): boolean {
  return name.startsWith("transaction_data_collection_order_");
}

/** Fields of an offset or a record, each explained. */
export function DecodedFields({ fields }: { fields: readonly DecodedField[] }) {
  const counters = fields.filter(isOrderCounter);
  return (
    <div className="min-w-0">
      <FieldList fields={fields.filter((f) => !isOrderCounter(f))} />
      {counters.length > 0 ? (
        <details className="mt-2">
          <summary className="text-accent hover:underline">
            {countOf(counters.length, "more field")}: changes of each table in the transaction
          </summary>
          <div className="mt-1.5">
            <FieldList fields={counters} />
          </div>
        </details>
      ) : null}
    </div>
  );
}

function FieldList({ fields }: { fields: readonly DecodedField[] }) {
  return (
    <dl className="grid grid-cols-[fit-content(14rem)_minmax(0,1fr)] items-baseline gap-x-4 gap-y-1.5 max-md:grid-cols-1 max-md:gap-y-0.5">
      {fields.map(({ name, raw, text, meaning }) => (
        <div key={name} className="contents">
          <dt className="font-mono text-[.93em] text-text-3 [overflow-wrap:anywhere]">{name}</dt>
          <dd className="max-md:mb-1.5">
            <span className="font-mono text-[.93em] [overflow-wrap:anywhere]" title={`stored as ${raw}`}>
              {text}
            </span>
            <span className="block text-xs text-text-3">{meaning}</span>
          </dd>
        </div>
      ))}
    </dl>
  );
}
