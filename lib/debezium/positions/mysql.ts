import { binlogKind } from "./binlog";
import { mySqlGtids } from "./mysql-gtid";

// A GTID set of MySQL can be pages long; file and position fit a line.
export const mysql = binlogKind(mySqlGtids, false);
