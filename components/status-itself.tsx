import { countOf, formatBytes } from "@/lib/views/format";
import type { StatusView } from "@/lib/views/status";
import { Age } from "./age";
import { Card } from "./card";
import { Notice } from "./notice";
import { StatusMark } from "./status-mark";

/** The database that Tidemark keeps what it saw in. */
export function Database({ database }: { database: StatusView["database"] }) {
  return (
    <Card
      title="Database"
      note={database.embedded ? "embedded, run by Tidemark" : "yours, from DATABASE_URL"}
    >
      <dl className="grid grid-cols-[max-content_minmax(0,1fr)] gap-x-4 gap-y-1 px-4 pt-2 pb-4">
        <dt className="text-text-3">PostgreSQL</dt>
        <dd>{database.serverVersion}</dd>
        <dt className="text-text-3">size</dt>
        <dd>{formatBytes(database.sizeBytes)}</dd>
        <dt className="text-text-3">schema</dt>
        <dd className="[overflow-wrap:anywhere]">
          <span className="font-mono text-[.93em]">{database.migration ?? "no migration applied"}</span>{" "}
          <span className="text-text-3">({countOf(database.migrations, "migration")})</span>
        </dd>
      </dl>
    </Card>
  );
}

/** The processes of Tidemark that have given a sign of life. */
export function Processes({ processes }: { processes: StatusView["processes"] }) {
  return (
    <Card title="Processes" note="of Tidemark">
      {processes.length === 0 ? (
        <Notice sentence="No process has given a sign of life." />
      ) : (
        <ul className="mt-1">
          {processes.map((process) => (
            <li
              key={`${process.kind} ${process.pid} ${process.startedAt}`}
              className="flex flex-wrap items-baseline gap-x-3 border-t border-line px-4 py-2.5 first:border-t-0"
            >
              <span className="min-w-14 font-medium">{process.kind}</span>
              <StatusMark outcome={process.alive ? "ok" : "warning"}>
                {process.alive ? "alive" : "silent"}
              </StatusMark>
              <span className="text-text-2">
                {process.version} · pid {process.pid} · up <Age at={process.startedAt} />
              </span>
              <span className="text-xs text-text-3">
                last sign <Age at={process.beatAt} suffix=" ago" />
              </span>
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}
