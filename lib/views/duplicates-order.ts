import type { ConnectorType } from "@/lib/debezium/connector-type";
import type { DuplicatesSection } from "./duplicates-schema";

type Order = DuplicatesSection["order"][number];

const always: readonly Order[] = [
  {
    holds: true,
    sentence: "In one partition the changes of a row stand in the order in which the source committed them.",
  },
  {
    holds: true,
    sentence:
      "A replay sends them again in that same order, from an older position: who applies each record as it comes goes back in time, and is right again at the replay's last record.",
  },
  {
    holds: false,
    sentence:
      "Between partitions and between topics there is no order, not even for the changes of one transaction.",
  },
  {
    holds: false,
    sentence:
      "A changed primary key is a delete under the old key and a create under the new one, which may lie in different partitions.",
  },
  {
    holds: false,
    sentence:
      "While a task that was taken for dead still writes (cause: worker lost), old and new copies of two runs stand among each other.",
  },
];

const ofType: Partial<Record<ConnectorType, Order>> = {
  postgresql: {
    holds: false,
    sentence:
      "The LSN alone does not rise from transaction to transaction: compare source.sequence, the commit's LSN first.",
  },
  mysql: {
    holds: false,
    sentence: "File and position are one server's own: after a failover only GTIDs can be compared.",
  },
  mariadb: {
    holds: false,
    sentence: "File and position are one server's own: after a failover only GTIDs can be compared.",
  },
  sqlserver: {
    holds: false,
    sentence: "Inside one transaction change LSNs can fall: only commit LSNs rise, each database for itself.",
  },
  oracle: {
    holds: false,
    sentence: "On RAC each redo thread has an order of its own; between threads SCNs can fall.",
  },
};

/** What consumers may rely on about order, and what not, a sentence each. */
export function orderGuarantees(type: ConnectorType | null): Order[] {
  const own = type === null ? undefined : ofType[type];
  return own ? [...always, own] : [...always];
}
