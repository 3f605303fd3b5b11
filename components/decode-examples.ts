import type { DecodeRequest } from "@/lib/views/decode-request";

/** Offsets as Kafka Connect's REST answers give them, and a record as kcat and others print it, to try the page with. */
export const decodeExamples: readonly { name: string; request: DecodeRequest }[] = [
  {
    name: "PostgreSQL",
    request: {
      text: '{"offsets":[{"partition":{"server":"shop"},"offset":{"transaction_id":"760","lsn_proc":27408640,"messageType":"COMMIT","lsn_commit":27408640,"lsn":27408640,"txId":760,"ts_usec":1795957675987637}}]}',
    },
  },
  {
    name: "MariaDB",
    request: {
      text: '{"partition":{"server":"inv"},"offset":{"transaction_id":"0-223344-22","ts_sec":1795957675,"file":"binlog.000001","pos":139251,"gtids":"0-223344-21","server_id":223344}}',
    },
  },
  {
    name: "MySQL, in a snapshot",
    request: {
      type: "mysql",
      text: '{"file":"mysql-bin.000412","pos":7713,"gtids":"3e11fa47-71ca-11e1-9e33-c80aa9429562:1-5:11-29","snapshot":"INITIAL","snapshot_completed":false,"ts_sec":1795957675}',
    },
  },
  {
    name: "Change events",
    request: {
      text: [
        '{"topic":"shop.public.orders","partition":0,"offset":5004,"timestamp":1795957676075,"headers":{"__debezium.context.runId":"01a2276a-675c-7f10-b960-d5d68b86b810"},"key":{"id":5002},"value":{"before":null,"after":{"id":5002},"source":{"version":"3.6.1.Final","connector":"postgresql","name":"shop","ts_ms":1795957675631,"snapshot":"false","db":"shop","sequence":"[\\"27355064\\",\\"27355064\\"]","schema":"public","table":"orders","txId":755,"lsn":27355064},"transaction":{"id":"755:27355064","total_order":1,"data_collection_order":1},"op":"c","ts_ms":1795957675989}}',
        '{"topic":"shop.public.orders","partition":0,"offset":5005,"timestamp":1795957676075,"headers":{"__debezium.context.runId":"01a2276a-675c-7f10-b960-d5d68b86b810"},"key":{"id":5002},"value":{"before":{"id":5002},"after":null,"source":{"version":"3.6.1.Final","connector":"postgresql","name":"shop","ts_ms":1795957675632,"snapshot":"false","db":"shop","sequence":"[\\"27355448\\",\\"27355448\\"]","schema":"public","table":"orders","txId":756,"lsn":27355448},"transaction":{"id":"756:27355448","total_order":1,"data_collection_order":1},"op":"d","ts_ms":1795957676011}}',
        '{"topic":"shop.public.orders","partition":0,"offset":5006,"timestamp":1795957676076,"key":{"id":5002},"value":null}',
      ].join("\n"),
    },
  },
];
