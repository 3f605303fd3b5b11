import kafkajs, { type AclEntry, type Kafka } from "kafkajs";

// By the default import: of a CommonJS module Node.js sees only some names.
const { AclOperationTypes, AclPermissionTypes, AclResourceTypes, ResourcePatternTypes } = kafkajs;

/** One right: an operation on all topics, on one topic, or on the cluster. */
export interface Right {
  operation: "DESCRIBE" | "READ" | "DESCRIBE_CONFIGS";
  /** `*` for all of them; absent: the cluster. */
  topic?: string;
}

/** What Tidemark needs to look, and no more. */
export const READ_ONLY: readonly Right[] = [
  { operation: "DESCRIBE", topic: "*" },
  { operation: "READ", topic: "*" },
  { operation: "DESCRIBE_CONFIGS", topic: "*" },
  { operation: "DESCRIBE_CONFIGS" },
];

/** Grants the user `tidemark` rights; those that it has already stay. `kafka` is logged in as `admin`. */
export async function grant(kafka: Kafka, rights: readonly Right[]): Promise<void> {
  const admin = kafka.admin();
  await admin.connect();
  try {
    await admin.createAcls({ acl: rights.map(entryOf) });
  } finally {
    await admin.disconnect();
  }
}

/** Takes rights of the user `tidemark` away. */
export async function revoke(kafka: Kafka, rights: readonly Right[]): Promise<void> {
  const admin = kafka.admin();
  await admin.connect();
  try {
    await admin.deleteAcls({ filters: rights.map(entryOf) });
  } finally {
    await admin.disconnect();
  }
}

function entryOf({ operation, topic }: Right): AclEntry {
  return {
    resourceType: topic === undefined ? AclResourceTypes.CLUSTER : AclResourceTypes.TOPIC,
    resourceName: topic ?? "kafka-cluster",
    resourcePatternType: ResourcePatternTypes.LITERAL,
    principal: "User:tidemark",
    host: "*",
    operation: AclOperationTypes[operation],
    permissionType: AclPermissionTypes.ALLOW,
  };
}
