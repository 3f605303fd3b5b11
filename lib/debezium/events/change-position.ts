import type { ConnectorType } from "../connector-type";
import { positionKinds } from "../positions/kinds";
import type { Identity, Reading } from "../positions/position";
import type { ChangeReading, FlattenedReading } from "./record-reading";

/** Where a change stands and what makes it unique. */
export interface ChangePosition extends Reading<unknown> {
  identity: Identity;
}

/**
 * Position and identity of a change that was read in full. The position goes back to `positionKinds[type]` only.
 * @param key as `recordKey` gives it.
 */
export function changePosition(
  type: ConnectorType,
  change: ChangeReading | FlattenedReading,
  topic: string,
  key: string | null,
): ChangePosition {
  const kind = positionKinds[type];
  const { op, source, transaction } = change;
  const identity: Identity =
    op === null
      ? { id: null, why: "The flattened event has no op: add.fields=op is not set." }
      : kind.identity({ topic, key, op, source, transaction });
  return { ...kind.decodeSource(source), identity };
}
