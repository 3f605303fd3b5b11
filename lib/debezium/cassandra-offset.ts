/** `shop.orders.commitlog=CommitLog-7-1789367400123.log:5678`, as a properties file (colons escaped) or as JSON. */
const entry = /^[ \t{,]*"?[^\s"=:]+\.(?:snapshot|commitlog)"?\s*[=:]\s*"?[^\s",]*\\?:-?\d+/m;

/**
 * What to say of the position of Debezium's Cassandra connector, which runs by itself: its files
 * `snapshot_offset.properties` and `commitlog_offset.properties`. Null for every other text.
 */
export function cassandraOffsetText(text: string): string | null {
  if (!entry.test(text)) return null;
  return "This is the position of Debezium's Cassandra connector: for each table a commit log file and a byte in it. That connector is no Kafka Connect connector: it runs beside each Cassandra node, writes to Kafka by itself and keeps its position in files on that node (offset.backing.store.dir), so Kafka Connect has no offset of it to explain.";
}
