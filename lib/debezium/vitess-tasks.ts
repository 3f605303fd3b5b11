import type { ConnectorConfig } from "./config";
import type { JsonObject } from "./json";
import type { Usage } from "./used-partition";

/** `task0_2_1`: task 0 of 2, of generation 1 (VitessConnector.getTaskKeyName). Null for a text of another form. */
function generationOf({ task_key }: JsonObject): number | null {
  // What one task stored counts as generation 0 (vitess.offset.storage.task.key.gen).
  if (task_key === undefined) return 0;
  const match = typeof task_key === "string" ? /^task\d+_\d+_(\d+)$/.exec(task_key) : null;
  return match ? Number(match[1]) : null;
}

function configuredGeneration(config: ConnectorConfig): number | null {
  const text = config["vitess.offset.storage.task.key.gen"]?.trim() ?? "";
  return /^\d{1,9}$/.test(text) ? Number(text) : null;
}

/**
 * Which partitions of one Vitess connector its tasks read, all of the configured topic.prefix: one without a task_key
 * where there is one task, those of the configured generation with vitess.offset.storage.per.task.
 */
export function vitessTaskUsage(
  config: ConnectorConfig,
  partition: JsonObject,
  all: readonly JsonObject[],
): Usage {
  const perTask = config["vitess.offset.storage.per.task"]?.trim().toLowerCase() === "true";
  const ofTask = partition.task_key !== undefined;
  if (!perTask)
    return ofTask
      ? { used: false, why: "kept for one of several tasks, and vitess.offset.storage.per.task is off" }
      : { used: true };
  const [wanted, found] = [configuredGeneration(config), generationOf(partition)];
  if (wanted === null)
    return { used: true, why: "the configuration has no vitess.offset.storage.task.key.gen to compare with" };
  if (found === null) return { used: true, why: "its task_key does not tell a generation" };
  const stored = (generation: number) =>
    all.some((p) => p.task_key !== undefined && generationOf(p) === generation);
  if (found === wanted && (ofTask || !stored(wanted))) return { used: true };
  const isSource = found === wanted - 1 && !stored(wanted) && (ofTask || !stored(found));
  if (isSource)
    return {
      used: true,
      why: `generation ${wanted} begins from it: none of its own partitions is stored yet`,
    };
  const which = ofTask ? `of generation ${found}` : "kept for a connector of one task";
  return { used: false, why: `${which}, and the tasks read generation ${wanted}` };
}
