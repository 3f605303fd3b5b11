/** One setting that an environment variable can give. */
export interface EnvironmentSetting {
  name: string;
  /** Where it goes: from the root, or from the one cluster when `cluster` is true. */
  path: readonly string[];
  cluster: boolean;
  /** A comma list. */
  list: boolean;
  /** Read `<name>_FILE` too. False where the value is itself the path of a file. */
  file: boolean;
  /** What it is, for the table in docs/configuration.md. */
  about: string;
}

type Options = { list?: boolean; file?: boolean };
const root = (name: string, path: string, about: string): EnvironmentSetting => ({
  name,
  path: path.split("."),
  cluster: false,
  list: false,
  file: true,
  about,
});
const cluster = (name: string, path: string, about: string, options: Options = {}): EnvironmentSetting => ({
  ...root(name, path, about),
  cluster: true,
  list: options.list ?? false,
  file: options.file ?? true,
});

/** Every environment variable that is a setting. An empty one counts as not given. */
export const environmentSettings: readonly EnvironmentSetting[] = [
  root("HOST", "listen.host", "where the pages are served"),
  root("PORT", "listen.port", "where the pages are served"),
  root("DATA_DIR", "dataDir", "folder for Tidemark's own files"),
  root("DATABASE_URL", "databaseUrl", "PostgreSQL to use instead of the embedded one"),
  root("POLL_CONNECTORS_SECONDS", "poll.connectors", "how often connectors are listed"),
  root("POLL_OFFSETS_SECONDS", "poll.offsets", "how often stored offsets are read"),
  root("POLL_TOPICS_SECONDS", "poll.topics", "how often topics are looked at"),
  root("POLL_SCHEMA_HISTORY_SECONDS", "poll.schemaHistory", "how often schema history topics are looked at"),
  root("POLL_REPLAY_WINDOW_SECONDS", "poll.replayWindow", "how often replay windows are measured"),
  root("POLL_DUPLICATES_SECONDS", "poll.duplicates", "how often topics are looked at for duplicates"),
  root("CHECK_TASK_UNASSIGNED_SECONDS", "checks.taskUnassigned", "how long a task may wait for a worker"),
  root("CHECK_SILENT_SECONDS", "checks.silent", "how long table topics may stand still"),
  root("CHECK_REBALANCE_SECONDS", "checks.rebalance", "how long a rebalance may take"),
  root("CHECK_REPLAY_EVENTS", "checks.replay.events", "events that a replay window may hold; 0: any number"),
  root("CHECK_REPLAY_BYTES", "checks.replay.bytes", "bytes that a replay window may hold; 0: any number"),
  root("CHECK_REPLAY_SECONDS", "checks.replay.seconds", "seconds of writes that it may hold; 0: any number"),
  root("CHECK_DUPLICATES_RATE", "checks.duplicates.rate", "share of duplicates, 0 to 1; 0: any"),
  root(
    "CHECK_DUPLICATES_BYTES_PER_LOOK",
    "checks.duplicates.bytesPerLook",
    "bytes that one look reads at most",
  ),
  root("SCAN_ENABLED", "scan.enabled", "`true` or `false`"),
  root(
    "SCAN_MAX_BYTES_PER_SECOND",
    "scan.maxBytesPerSecond",
    "bytes that a collector reads a second at most",
  ),
  root("SCAN_TOPIC_BYTES_PER_SECOND", "scan.topicBytesPerSecond", "topics that grow faster are left out"),
  cluster("CLUSTER_NAME", "name", "name of the cluster; `default` when not given"),
  cluster("CONNECT_URL", "connect.urls", "Kafka Connect workers, comma list", { list: true }),
  cluster("CONNECT_USERNAME", "connect.basicAuth.username", "basic authentication to Connect"),
  cluster("CONNECT_PASSWORD", "connect.basicAuth.password", "basic authentication to Connect"),
  cluster("CONNECT_TLS_CA_FILE", "connect.tls.ca", "PEM file of Connect's authority", { file: false }),
  cluster("CONNECT_TLS_CERT_FILE", "connect.tls.cert", "PEM file of our certificate", { file: false }),
  cluster("CONNECT_TLS_KEY_FILE", "connect.tls.key", "PEM file of our key", { file: false }),
  cluster("CONNECT_GROUP_ID", "groupId", "Connect's `group.id`"),
  cluster("OFFSET_TOPIC", "offsetTopic", "Connect's `offset.storage.topic`"),
  cluster("KAFKA_BROKERS", "kafka.brokers", "brokers as host:port, comma list", { list: true }),
  cluster("KAFKA_TLS", "kafka.tls", "`true` or `false`"),
  cluster("KAFKA_TLS_CA_FILE", "kafka.tls.ca", "PEM file of the brokers' authority", { file: false }),
  cluster("KAFKA_TLS_CERT_FILE", "kafka.tls.cert", "PEM file of our certificate", { file: false }),
  cluster("KAFKA_TLS_KEY_FILE", "kafka.tls.key", "PEM file of our key", { file: false }),
  cluster("KAFKA_SASL_MECHANISM", "kafka.sasl.mechanism", "`plain`, `scram-sha-256` or `scram-sha-512`"),
  cluster("KAFKA_SASL_USERNAME", "kafka.sasl.username", "SASL login"),
  cluster("KAFKA_SASL_PASSWORD", "kafka.sasl.password", "SASL login"),
  cluster("SCHEMA_REGISTRY_URL", "schemaRegistry.url", "schema registry (Confluent's API)"),
  cluster(
    "SCHEMA_REGISTRY_USERNAME",
    "schemaRegistry.basicAuth.username",
    "basic authentication to the registry",
  ),
  cluster(
    "SCHEMA_REGISTRY_PASSWORD",
    "schemaRegistry.basicAuth.password",
    "basic authentication to the registry",
  ),
];
