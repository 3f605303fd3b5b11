import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Lab } from "@/lab/lab";
import { type FakeBroker, type FakeTopic, startFakeBroker } from "@/lib/kafka/testing/fake-broker";
import { bundled } from "./contenders";
import { fillFleet } from "./fill-fleet";
import { type FleetCost, type FleetResult, fleetTable, laterPolls, requestsOf } from "./fleet-report";
import { type FleetSpec, fleetOf, RECORDS, recordTime } from "./fleet-spec";
import { say, writeLastRun } from "./last-run";

const POLLS = 11;
/** What a poll may cost: it comes every five seconds, beside all else. */
const MOST_SECONDS = 2;
const MOST_CPU_SECONDS = 1;
/** Ends, places by the commit's time, places by the source's. */
const MOST_LIST_OFFSETS = 3;

interface Programs {
  tidemark: string;
  kafkajs: string;
  folder: string;
}

async function inNode(program: string, args: readonly string[], spec: FleetSpec): Promise<FleetCost> {
  const { stdout } = await promisify(execFile)(process.execPath, [program, ...args], { timeout: 900_000 });
  const cost: FleetCost = JSON.parse(stdout);
  for (const { low, high } of cost.polls)
    if (low !== spec.low || high !== spec.high)
      throw new Error(`${program} found ${low} to ${high} records, not ${spec.low} to ${spec.high}`);
  return cost;
}

async function measure(
  title: string,
  broker: string,
  spec: FleetSpec,
  { tidemark, kafkajs, folder }: Programs,
  beside: "kafkajs" | "nothing",
): Promise<FleetResult> {
  const file = join(folder, "fleet.json");
  writeFileSync(file, JSON.stringify(spec));
  say(`${title}: polling`);
  const cost = await inNode(tidemark, [broker, file, String(POLLS)], spec);
  const later = laterPolls(cost);
  const { listOffsets } = requestsOf(cost);
  say(`${title}: ${later.seconds.toFixed(2)} s, CPU ${later.cpuSeconds.toFixed(2)} s a poll`);
  if (listOffsets > MOST_LIST_OFFSETS) throw new Error(`${title}: ${listOffsets} ListOffsets to one broker`);
  if (later.cpuSeconds > MOST_CPU_SECONDS) throw new Error(`${title}: a poll takes too much of the CPU`);
  const [load = 0] = loadavg();
  // Its own brokers and the reader keep the cores busy; others that wait for them besides make time mean nothing.
  const busy = load > 2 * cpus().length;
  if (busy) say(`${title}: the machine is busy with other work, and times are not held to their limit`);
  else if (later.seconds > MOST_SECONDS) throw new Error(`${title}: a poll takes too long`);
  if (beside === "nothing") return { title, tidemark: cost, kafkajs: null };
  say(`${title}: kafkajs, topic by topic`);
  return { title, tidemark: cost, kafkajs: await inNode(kafkajs, [broker, file], spec) };
}

/** Three brokers that lead a third of the partitions each. They speak the protocol, and hold no log. */
async function startDouble(spec: FleetSpec, partitions: number, base: number): Promise<FakeBroker[]> {
  const nodes: FakeBroker[] = [];
  for (const id of [1, 2, 3]) nodes.push(await startFakeBroker({}, { id }));
  const times = Array.from({ length: RECORDS }, (_, i) => ({
    offset: BigInt(i),
    timestamp: BigInt(recordTime(base, i)),
  }));
  let next = 0;
  const partition = () => ({ leader: (next++ % 3) + 1, earliest: 0n, latest: BigInt(RECORDS), times });
  const topics = new Map<string, FakeTopic>(
    spec.connectors.flatMap((c) =>
      c.topics.map((name) => [name, { partitions: Array.from({ length: partitions }, partition) }]),
    ),
  );
  for (const node of nodes) {
    node.topics = topics;
    node.peers = nodes;
  }
  return nodes;
}

async function measureDouble(
  of: { connectors: number; topics: number; partitions: number },
  programs: Programs,
): Promise<FleetResult> {
  const base = Date.now();
  const spec = fleetOf({ ...of, offsetTopic: null }, base);
  const nodes = await startDouble(spec, of.partitions, base);
  try {
    const title = `${titleOf(spec)}, three doubles of brokers`;
    return await measure(title, nodes[0]?.address ?? "", spec, programs, "nothing");
  } finally {
    await Promise.all(nodes.map((node) => node.stop()));
  }
}

function titleOf({ connectors, partitions }: FleetSpec): string {
  return `${connectors.length.toLocaleString("en")} connectors, ${partitions.toLocaleString("en")} partitions`;
}

/** What one poll of the replay windows of a whole fleet costs, by time. */
export async function benchFleet(lab: Lab): Promise<void> {
  await lab.reset();
  await lab.up({ only: "broker", brokers: 3, log: say });
  const { run: folder } = lab.places;
  const programs: Programs = {
    tidemark: await bundled("read-fleet.ts", folder),
    kafkajs: await bundled("read-fleet-kafkajs.ts", folder),
    folder,
  };
  const base = Date.now();
  const spec = fleetOf({ connectors: 1_000, topics: 2, partitions: 1, offsetTopic: "connect-offsets" }, base);
  say(`making ${spec.partitions.toLocaleString("en")} topics on three brokers`);
  await fillFleet([...lab.brokers], spec, base);
  const [broker = ""] = lab.brokers;
  const results = [
    await measure(`${titleOf(spec)}, three real brokers`, broker, spec, programs, "kafkajs"),
    await measureDouble({ connectors: 1_000, topics: 2, partitions: 5 }, programs),
    await measureDouble({ connectors: 5_000, topics: 1, partitions: 2 }, programs),
  ];
  writeLastRun("last fleet run", fleetTable(results));
}
