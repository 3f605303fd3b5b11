/** The figures of one made-up event of the table public.orders, in the order in which Debezium would send them. */
export interface OrderEvent {
  key: string;
  value: string;
}

const head = '{"before":null,"after":{"id":';
const runStart = 1_795_957_675_632;

/**
 * The event of change number `change` (from 0) as Debezium's PostgreSQL connector 3.6 and JsonConverter write it, with
 * transaction metadata, about 0.65 kB. The columns hold what could be taken for a source block.
 * @param note what a person wrote into one of them
 */
export function orderEvent(change: number, note = ""): OrderEvent {
  const commit = 27_355_448 + change * 240;
  const lsn = commit + 56;
  const ms = runStart + Math.floor(change / 5);
  const id = 1_000_000 + change;
  const value =
    `${head}${id},"customer_id":${change % 997},"status":"NEW","amount":"JwY=",` +
    `"note":"\\"lsn\\":${change % 10}${note}","updated_at":"2026-11-29T13:07:55.630462Z"},` +
    `"source":{"version":"3.6.1.Final","connector":"postgresql","name":"shop","ts_ms":${ms},"snapshot":"false",` +
    `"db":"shop","sequence":"[\\"${commit}\\",\\"${lsn}\\"]","ts_us":${ms}740,"ts_ns":${ms}740000,` +
    `"schema":"public","table":"orders","txId":${756 + change},"lsn":${lsn},"xmin":null,"origin":null,"origin_lsn":null},` +
    `"transaction":{"id":"${756 + change}:${lsn}","total_order":1,"data_collection_order":1},` +
    `"op":"c","ts_ms":${ms + 379},"ts_us":${ms + 379}329,"ts_ns":${ms + 379}329800}`;
  return { key: `{"id":${id}}`, value };
}

const field = (type: string, name: string, optional = true) =>
  `{"type":"${type}","optional":${optional},"field":"${name}"}`;
const struct = (fields: readonly string[], name: string, at: string) =>
  `{"type":"struct","fields":[${fields.join(",")}],"optional":true,"name":"${name}","field":"${at}"}`;

const row = [
  field("int64", "id", false),
  field("int64", "customer_id"),
  field("string", "status"),
  '{"type":"bytes","optional":true,"name":"org.apache.kafka.connect.data.Decimal","version":1,"parameters":{"scale":"2","connect.decimal.precision":"10"},"field":"amount"}',
  field("string", "note"),
  '{"type":"string","optional":true,"name":"io.debezium.time.ZonedTimestamp","version":1,"field":"updated_at"}',
];
const snapshotEnum =
  '{"type":"string","optional":true,"name":"io.debezium.data.Enum","version":1,"parameters":{"allowed":"true,first,first_in_data_collection,last_in_data_collection,last,false,incremental"},"default":"false","field":"snapshot"}';
const source = [
  field("string", "version", false),
  field("string", "connector", false),
  field("string", "name", false),
  field("int64", "ts_ms", false),
  snapshotEnum,
  field("string", "db", false),
  field("string", "sequence"),
  field("int64", "ts_us"),
  field("int64", "ts_ns"),
  field("string", "schema", false),
  field("string", "table", false),
  ...["txId", "lsn", "xmin"].map((name) => field("int64", name)),
  field("string", "origin"),
  field("int64", "origin_lsn"),
];
const transaction = [
  field("string", "id", false),
  field("int64", "total_order", false),
  field("int64", "data_collection_order", false),
];

/** What JsonConverter writes before the event with `schemas.enable=true`, 2.5 kB. */
export const schemaHead = `{"schema":{"type":"struct","fields":[${[
  struct(row, "shop.public.orders.Value", "before"),
  struct(row, "shop.public.orders.Value", "after"),
  struct(source, "io.debezium.connector.postgresql.Source", "source"),
  struct(transaction, "event.block", "transaction"),
  field("string", "op", false),
  ...["ts_ms", "ts_us", "ts_ns"].map((name) => field("int64", name)),
].join(",")}],"optional":false,"name":"shop.public.orders.Envelope","version":2},"payload":`;
