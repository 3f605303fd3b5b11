import type { DecodeRequest } from "@/lib/views/decode-request";

/** Offsets as Kafka Connect's REST answers give them, to try the page with. */
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
];
