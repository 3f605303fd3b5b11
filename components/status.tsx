import type { StatusView } from "@/lib/views/status";
import { Polled } from "./polled";
import { Clusters } from "./status-clusters";
import { Database, Processes } from "./status-itself";
import { Loops } from "./status-loops";
import { Permissions } from "./status-permissions";

/** The Status page below its banner. */
export function Status({ view }: { view: StatusView }) {
  return (
    <>
      <div className="mb-3.5 flex flex-wrap items-baseline gap-x-4">
        <h1 className="text-[18px] font-semibold tracking-tight">Status of Tidemark</h1>
        <Polled watch={view.watch} />
      </div>
      <div className="grid gap-3.5">
        <Clusters clusters={view.clusters} />
        <Permissions missing={view.permissionsMissing} />
        <Loops loops={view.loops} />
        <div className="grid gap-3.5 lg:grid-cols-2">
          <Database database={view.database} />
          <Processes processes={view.processes} />
        </div>
      </div>
    </>
  );
}
