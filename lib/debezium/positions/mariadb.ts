import { binlogKind } from "./binlog";
import { mariaDbGtids } from "./mariadb-gtid";

export const mariadb = binlogKind(mariaDbGtids, true);
