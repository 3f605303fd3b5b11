// A collector that does nothing but scan one topic, to be killed: `tsx e2e/scan-collector.ts BROKER DATABASE_URL TOPIC`.
// It tells on its output what it reads: `partition next`, a line at each checkpoint.

import { openScanLoop } from "@/lib/collect/scan/scan-loop";
import { openKafka } from "@/lib/kafka/connection";
import { openGroupMembership } from "@/lib/kafka/group-membership";
import { openLogReader } from "@/lib/kafka/log/open-log-reader";
import { openDatabase } from "@/lib/store/database";
import { readScanPartitions, scanGroup } from "@/lib/store/scans";

const [broker = "", url = "", topic = ""] = process.argv.slice(2);
const settings = { brokers: [broker], tls: false as const };
const connection = openKafka({ name: "lab", connect: { urls: ["http://127.0.0.1:1"] }, kafka: settings });
const db = openDatabase(url);
const { secret, groupId } = await scanGroup(db, "lab");
const loop = openScanLoop({
  ...{ cluster: "lab", db, registry: null, secret, signal: new AbortController().signal },
  log: openLogReader(connection),
  membership: openGroupMembership(settings, groupId, 6_000),
  maxBytesPerSecond: 800_000,
  limits: { identities: 4_000, keys: 500 },
  ...{ lookMs: 1_000, checkpointMs: 200, restMs: 0, resultMs: 0 },
});
for (;;) {
  const failure = await loop.look([{ topic, type: "postgresql", config: null }]);
  const rows = await readScanPartitions(db, { cluster: "lab", topic });
  console.log(failure?.sentence ?? rows.map(({ partition, next }) => `${partition}:${next}`).join(" "));
  await new Promise((resolve) => setTimeout(resolve, 100));
}
