import type { MeasurementsView, MeasurementView } from "@/lib/views/measure-schema";
import { MeasureForm, type MeasureFormProps } from "./measure-form";
import { MeasureRecent } from "./measure-recent";
import { MeasureResult } from "./measure-result";
import { Notice } from "./notice";
import { troubleText } from "./trouble-text";
import type { Trouble } from "./watch-banner";

/** The measurement that the page shows, as far as it has arrived. */
export interface ShownMeasurement {
  id: string;
  view: MeasurementView | undefined;
  trouble: Trouble | null;
  /** Null: it has ended. */
  cancel: (() => void) | null;
  opened: string | null;
  open: (id: string | null) => void;
  csv: string;
}

function Shown({ shown }: { shown: ShownMeasurement }) {
  const { view, trouble } = shown;
  if (view) return <MeasureResult {...shown} view={view} />;
  if (!trouble)
    return (
      <div role="status" aria-label="Loading" className="h-32 rounded-card border border-line bg-sunken" />
    );
  return (
    <div className="rounded-card border border-line bg-surface pt-2 shadow-card">
      <Notice sentence={troubleText(trouble)} />
    </div>
  );
}

/** The Measure page below its banner: how many changes of any topic were delivered twice. */
export function Measure({
  view,
  form,
  shown,
}: {
  view: MeasurementsView;
  form: Omit<MeasureFormProps, "clusters">;
  shown: ShownMeasurement | null;
}) {
  return (
    <>
      <h1 className="text-[18px] font-semibold tracking-tight">Measure duplicates in any topic</h1>
      <p className="mt-1 mb-3.5 max-w-[82ch] text-text-2">
        How many changes were delivered twice, and where. Topics of watched connectors are measured by
        themselves; here is any other, or another time. The collector reads the topic and keeps no row data.
      </p>
      <div className="grid gap-3.5">
        {view.clusters.length === 0 ? (
          <div className="rounded-card border border-line bg-surface pt-2 shadow-card">
            <Notice sentence="No cluster is known yet, so there is nothing to measure. Set clusters in tidemark.yaml; the fleet page says more." />
          </div>
        ) : (
          <MeasureForm clusters={view.clusters} {...form} />
        )}
        {shown ? <Shown shown={shown} /> : null}
        <MeasureRecent lines={view.measurements} shown={shown?.id ?? null} />
      </div>
    </>
  );
}
