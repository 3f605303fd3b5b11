import type { ConnectorType } from "../../connector-type";
import { positionKinds } from "../../positions/kinds";
import { mariadb } from "../../positions/mariadb";
import { mariaDbGtids } from "../../positions/mariadb-gtid";
import { mysql } from "../../positions/mysql";
import { mySqlGtids } from "../../positions/mysql-gtid";
import { anyPlaces } from "./any-place";
import { binlogPlaces } from "./binlog";
import type { PlaceKind } from "./place";
import { postgresPlaces } from "./postgresql";

/** Connectors whose positions and identities are made of few fields of `source`: an event's bytes tell them, unparsed. */
export const fieldPlaced = ["postgresql", "mysql", "mariadb"] as const satisfies readonly ConnectorType[];
export type FieldPlaced = (typeof fieldPlaced)[number];

export function isFieldPlaced(type: ConnectorType | null): type is FieldPlaced {
  return fieldPlaced.some((one) => one === type);
}

/**
 * How places are taken from the events of a connector. Compare only those of one call's: what they share, such as
 * names of binlogs, is theirs alone.
 */
export function placesOf(type: ConnectorType): PlaceKind<unknown> {
  if (type === "postgresql") return postgresPlaces;
  if (type === "mysql") return binlogPlaces(mysql, mySqlGtids);
  if (type === "mariadb") return binlogPlaces(mariadb, mariaDbGtids);
  return anyPlaces(positionKinds[type]);
}
