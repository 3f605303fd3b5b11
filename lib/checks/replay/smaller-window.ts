import { type ConnectorConfig, typeOf } from "@/lib/debezium/config";
import { declaresExactlyOnce } from "@/lib/measure/replay-window/exactly-once";
import { duration } from "../duration";
import { patchConfig } from "../shell";
import type { RemedyStep } from "../verdict";

/** Connect's own default of offset.flush.interval.ms, milliseconds. */
const DEFAULT_FLUSH_MS = 60_000;
/** One that is short, and that workers bear. */
const SHORT_FLUSH_MS = 5_000;

/** What a shorter interval costs, beside the one in force. */
function example(flushMs: number): string {
  const times = Math.round(flushMs / SHORT_FLUSH_MS);
  return times < 2
    ? "half the interval means twice as many"
    : `${SHORT_FLUSH_MS} instead of ${times * SHORT_FLUSH_MS} means ${times} times as many`;
}

/**
 * What makes a crash produce less again: flushing more often, or exactly-once where the connector has it.
 * @param versions of the connector's plugin, as far as they are known
 * @param flushMs the inferred flush interval, milliseconds; null: not known
 */
export function smallerWindow(
  connector: string,
  config: ConnectorConfig,
  versions: readonly (string | null)[],
  flushMs: number | null,
): RemedyStep[] {
  const steps: RemedyStep[] = [
    {
      text: `Have offsets flushed more often: offset.flush.interval.ms (${DEFAULT_FLUSH_MS} unless set${flushMs === null ? "" : `; by its commits it is about ${duration(flushMs)} here`}). It is a setting of the workers, for all their connectors, and is taken with a restart of each. The window shrinks with it, and the offset writes grow: ${example(flushMs ?? DEFAULT_FLUSH_MS)}.`,
      command: null,
    },
  ];
  if (declaresExactlyOnce(typeOf(config), config, versions, false) !== false)
    steps.push({
      text: "Or leave nothing to be produced again: exactly-once. Every worker needs exactly.once.source.support=enabled (first preparing on all of them, then enabled), and consumers isolation.level=read_committed. PostgreSQL connectors declare support since Debezium 2.3, those of MySQL, MariaDB, MongoDB, SQL Server and Oracle since 3.3.",
      command: patchConfig(connector, { "exactly.once.support": "required" }),
    });
  return steps;
}
