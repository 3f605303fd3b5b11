import type { ConnectorType } from "../connector-type";
import { cockroachdb } from "./cockroachdb";
import { db2 } from "./db2";
import { informix } from "./informix";
import { mariadb } from "./mariadb";
import { mongodb } from "./mongodb";
import { mysql } from "./mysql";
import { oracle } from "./oracle";
import type { PositionKind } from "./position";
import { postgresql } from "./postgresql";
import { raw } from "./raw";
import { spanner } from "./spanner";
import { sqlserver } from "./sqlserver";
import { vitess } from "./vitess";

/** What is known of the positions of each connector type; `raw` where it is nothing yet. */
export const positionKinds: Readonly<Record<ConnectorType, PositionKind<unknown>>> = {
  postgresql,
  mysql,
  mariadb,
  sqlserver,
  oracle,
  mongodb,
  db2,
  informix,
  vitess,
  spanner,
  cockroachdb,
  unknown: raw,
};

/** Whether positions of this type are decoded, not only shown. */
export function isDecoded(type: ConnectorType): boolean {
  return positionKinds[type] !== raw;
}
