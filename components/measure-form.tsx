import { measureMethods, methodWords } from "@/lib/views/measure-methods";
import type { MeasurementsView, TopicsView } from "@/lib/views/measure-schema";
import { type MeasureRange, measureRanges, measureRangeWords, whyNotTimes } from "./measure-range";
import { StatusShape } from "./status-mark";

/** What the page's URL says of the form. */
export interface MeasureChoice {
  cluster: string;
  topic: string;
  method: (typeof measureMethods)[number];
  range: MeasureRange;
  /** Of `between`, in the reader's zone: `2026-11-29T14:36`. */
  from: string;
  to: string;
}

export interface MeasureFormProps {
  clusters: MeasurementsView["clusters"];
  choice: MeasureChoice;
  choose: (change: Partial<MeasureChoice>) => void;
  /** Topics that fit what is typed. */
  topics: TopicsView["topics"];
  ask: () => void;
  asking: boolean;
  /** Why the request was not taken. */
  trouble: string | null;
}

const field = "h-9 w-full rounded-card border border-line-strong bg-surface px-2";

/** By Kafka's own rule; the API says the same. */
const topicRule = /^[A-Za-z0-9._-]{1,249}$/;

function Field({
  label,
  children,
  className = "",
}: {
  label: string;
  children: React.ReactNode;
  className?: string;
}) {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the control is among the children
    <label className={`block min-w-0 ${className}`}>
      <span className="mb-1 block text-xs text-text-3">{label}</span>
      {children}
    </label>
  );
}

function Methods({ choice, choose }: Pick<MeasureFormProps, "choice" | "choose">) {
  return (
    <fieldset className="mt-3">
      <legend className="mb-1 text-xs text-text-3">Method</legend>
      <div className="grid gap-2.5 md:grid-cols-2">
        {measureMethods.map((method) => {
          const { name, costs, finds } = methodWords[method];
          const chosen = choice.method === method;
          return (
            <label
              key={method}
              className={`flex items-start gap-2.5 rounded-card border p-3 ${chosen ? "border-accent bg-accent-soft" : "border-line-strong"}`}
            >
              <input
                type="radio"
                name="method"
                value={method}
                checked={chosen}
                onChange={() => choose({ method })}
                className="mt-1 flex-none"
              />
              <span>
                <span className="font-semibold">{name}</span>
                <span className="block text-sm text-text-2">{finds}</span>
                <span className="mt-1 block text-sm text-text-2">{costs}</span>
              </span>
            </label>
          );
        })}
      </div>
    </fieldset>
  );
}

function Times({ choice, choose }: Pick<MeasureFormProps, "choice" | "choose">) {
  if (choice.range !== "between") return null;
  return (
    <>
      {(["from", "to"] as const).map((end) => (
        <Field key={end} label={end === "from" ? "From, in your time zone" : "To"}>
          <input
            type="datetime-local"
            value={choice[end]}
            onChange={({ target }) => choose({ [end]: target.value })}
            className={field}
          />
        </Field>
      ))}
    </>
  );
}

/** Why it cannot be asked for yet; null when it can. */
function whyNot({ clusters, choice }: Pick<MeasureFormProps, "clusters" | "choice">): string | null {
  const cluster = clusters.find((c) => c.name === choice.cluster);
  if (!cluster) return "Choose a cluster.";
  if (cluster.whyNot) return cluster.whyNot;
  if (choice.topic.trim() === "") return "Name a topic.";
  if (!topicRule.test(choice.topic.trim()))
    return "A topic's name holds letters, digits, dots, dashes and underscores only.";
  return whyNotTimes(choice.range, choice);
}

/** Which topic, what of it, and how. */
export function MeasureForm(props: MeasureFormProps) {
  const { clusters, choice, choose, topics, ask, asking, trouble } = props;
  const lack = whyNot(props);
  return (
    <form
      aria-label="What to measure"
      className="rounded-card border border-line bg-surface p-4 shadow-card"
      onSubmit={(event) => {
        event.preventDefault();
        if (lack === null && !asking) ask();
      }}
    >
      <div className="grid gap-3 md:grid-cols-[minmax(8rem,1fr)_minmax(0,3fr)_minmax(10rem,1.2fr)]">
        <Field label="Cluster">
          <select
            value={choice.cluster}
            onChange={({ target }) => choose({ cluster: target.value })}
            className={field}
          >
            {clusters.some((c) => c.name === choice.cluster) ? null : (
              <option value={choice.cluster}>choose</option>
            )}
            {clusters.map(({ name }) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        </Field>
        <Field label="Topic: one that a connector writes, or any other">
          <input
            data-search
            list="known-topics"
            value={choice.topic}
            spellCheck={false}
            autoComplete="off"
            autoCapitalize="off"
            placeholder="shop.public.orders"
            onChange={({ target }) => choose({ topic: target.value })}
            className={`${field} font-mono placeholder:text-text-3`}
          />
          <datalist id="known-topics">
            {topics.map(({ topic, connector }) => (
              <option key={topic} value={topic}>
                {connector}
              </option>
            ))}
          </datalist>
        </Field>
        <Field label="Records of">
          <select
            value={choice.range}
            onChange={({ target }) => {
              const range = measureRanges.find((r) => r === target.value);
              if (range) choose({ range });
            }}
            className={field}
          >
            {measureRanges.map((range) => (
              <option key={range} value={range}>
                {measureRangeWords[range]}
              </option>
            ))}
          </select>
        </Field>
        <Times choice={choice} choose={choose} />
      </div>
      <Methods choice={choice} choose={choose} />
      <div className="mt-3 flex flex-wrap items-center gap-x-3.5 gap-y-2">
        <button
          type="submit"
          disabled={lack !== null || asking}
          aria-describedby="measure-lack"
          className="h-9 rounded-card bg-accent px-4 font-semibold text-on-accent disabled:cursor-default disabled:bg-sunken disabled:text-text-3"
        >
          Measure
        </button>
        <p id="measure-lack" role="status" className="min-h-5 text-text-2">
          {trouble ? (
            <span className="flex items-baseline gap-2">
              <StatusShape outcome="critical" />
              {trouble}
            </span>
          ) : (
            lack
          )}
        </p>
      </div>
    </form>
  );
}
