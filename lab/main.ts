import { demo } from "./demo";
import { LabFault, sayError } from "./fault";
import type { Lab, Truth } from "./lab";
import { openLab } from "./open-lab";
import { type Command, HELP, parseCommand } from "./options";
import { endOwner } from "./owner";
import { placesOf } from "./places";
import { requireState } from "./state";
import { sayStatus, statusOf } from "./status";
import { toolEnvironment } from "./tools";

import { watch } from "./watch";
import { sayWritten } from "./writer";

const say = (line: string) => console.log(line);

/** Aborted by Ctrl-C, by a polite kill, and when whoever started this is gone. */
const ended = new AbortController();
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => ended.abort());
process.on("disconnect", () => ended.abort());
// A closed terminal or pipe must not keep the lab from being ended in order.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});

async function up(lab: Lab, command: Extract<Command, { name: "up" }>): Promise<number> {
  const began = Date.now();
  const aborted = untilEnded().then(() => "aborted" as const);
  // A lab that was up before is not ours to end when this goes wrong.
  const ours = command.attached || !lab.isUp();
  const abandon = () => (ours ? lab.abandon() : lab.detach());
  const { mariadb, secure, avro, only, brokers, workers } = command;
  const starting = lab.up({
    mariadb,
    secure,
    avro,
    only,
    brokers,
    workers,
    log: say,
    program: true,
    hold: ours,
  });
  const result = await Promise.race([starting.then(() => "up" as const), aborted]).catch(async (error) => {
    await abandon();
    throw error;
  });
  if (result === "up") say(await readyLines(lab, began));
  if (result === "up" && !command.attached) {
    lab.detach();
    return 0;
  }
  if (result === "up") {
    say("Attached: Ctrl-C ends it all.");
    await aborted;
  }
  starting.catch(() => {});
  if (ours) say("ending the lab …");
  await abandon();
  if (ours) say("the lab is down");
  return result === "up" ? 0 : 130;
}

async function readyLines(lab: Lab, began: number): Promise<string> {
  const status = await statusOf(lab);
  const connect = lab.state.brokerOnly ? "" : `, Connect ${lab.connectUrl}`;
  const seconds = ((Date.now() - began) / 1_000).toFixed(0);
  return `${status ? sayStatus(status) : ""}\nThe lab is up after ${seconds} s: Kafka ${lab.brokers.join(",")}${connect}`;
}

/** The lab, a writer and the dashboard. A lab that was up before stays up. */
async function upForDemo(lab: Lab): Promise<number> {
  const ours = !lab.isUp();
  try {
    // Without MariaDB the PostgreSQL half is worth a look too.
    const starting = lab.up({ log: say, program: true, hold: ours }).then(() => true);
    const ready = await Promise.race([starting, untilEnded().then(() => false)]);
    if (!ready) starting.catch(() => {});
    return ready ? await demo(lab, ended.signal, say) : 130;
  } finally {
    if (ours) say("ending the lab …");
    await (ours ? lab.abandon() : lab.detach());
  }
}

function untilEnded(): Promise<void> {
  return new Promise((resolve) => {
    if (ended.signal.aborted) resolve();
    ended.signal.addEventListener("abort", () => resolve());
  });
}

async function status(lab: Lab, json: boolean): Promise<number> {
  const now = await statusOf(lab);
  if (json) say(JSON.stringify(now, null, 2));
  else say(now ? sayStatus(now) : `There is no lab in ${lab.places.root}. Bring one up: npm run lab -- up`);
  return now?.processes.every((one) => one.running) ? 0 : 1;
}

/** So long a change may take from its commit to its topic, where the connector runs and keeps up. */
const UNDER_WAY_MS = 10_000;

async function truth(lab: Lab, command: Extract<Command, { name: "truth" }>): Promise<number> {
  const truths =
    command.topic === undefined
      ? await lab.truthOfAll(UNDER_WAY_MS)
      : [await lab.truthOf(command.topic, UNDER_WAY_MS)];
  const stretches = command.stretches ? await stretchesOf(lab, truths) : [];
  const shown = truths.map((one) => ({
    ...one,
    ...(command.stretches ? { stretches: stretches.filter(({ topic }) => topic === one.topic) } : {}),
  }));
  if (command.json) say(JSON.stringify(command.topic === undefined ? shown : shown[0], null, 2));
  else
    for (const one of shown) {
      say(sayTruth(one));
      for (const { partition, firstOffset, lastOffset, count, run } of one.stretches ?? [])
        say(
          `  partition ${partition}: ${count} from ${firstOffset} to ${lastOffset}, run ${run ?? "unknown"}`,
        );
    }
  return 0;
}

async function stretchesOf(lab: Lab, truths: readonly Truth[]) {
  const partitions = await lab.deliveries(truths.map(({ topic }) => topic)).read();
  return partitions.flatMap(({ topic, partition, stretches }) =>
    stretches.map((stretch) => ({ topic, partition, ...stretch })),
  );
}

function sayTruth(one: Truth): string {
  const waited = one.missing > 0 ? `, waited for ${UNDER_WAY_MS / 1_000} s` : "";
  return `${one.topic}: records ${one.records}, distinct ${one.distinct}, duplicates ${one.duplicates}, missing ${one.missing} (of ${one.committed} committed at the start of this look${waited}), re-reads ${one.reReads}, tombstones ${one.tombstones}`;
}

async function run(command: Command): Promise<number> {
  const lab = openLab();
  switch (command.name) {
    case "help":
      say(HELP);
      return 0;
    case "up":
      return up(lab, command);
    case "demo":
      return upForDemo(lab);
    case "env":
      for (const [key, value] of Object.entries(toolEnvironment(lab))) say(`export ${key}='${value}'`);
      return 0;
    case "down":
      await endOwner(lab.places);
      await lab.down();
      say("the lab is down");
      return 0;
    case "reset":
      await endOwner(lab.places);
      await lab.reset();
      say(`the lab is down and ${lab.places.root} is gone`);
      return 0;
    case "status":
      return status(lab, command.json);
    case "truth":
      return truth(lab, command);
    case "write": {
      const { rate, writers, seconds } = command;
      const written = await lab.write({
        rate,
        writers,
        signal: ended.signal,
        log: say,
        ...(seconds ? { seconds } : {}),
      });
      say(sayWritten(lab, written));
      return 0;
    }
    case "burst":
      say(sayWritten(lab, await lab.burst(command.changes, ended.signal)));
      return 0;
    case "snapshot": {
      const { rows, status } = await lab.snapshot(command.table, command.kind);
      say(`${command.table} was read again: ${rows} rows, ${status}`);
      return 0;
    }
    case "crash":
      await lab.crash(command.process, { stayDown: command.stayDown, log: say });
      say(
        command.stayDown ? `${command.process} was killed` : `${command.process} was killed and runs again`,
      );
      return 0;
    case "start":
      await lab.start(command.process, say);
      return 0;
    case "stop":
      await lab.stop(command.process);
      return 0;
    case "restart":
      await lab.restart(command.process, say);
      return 0;
    case "freeze":
      await lab.freeze(command.process);
      say(`${command.process} is frozen`);
      return 0;
    case "thaw":
      await lab.thaw(command.process);
      return 0;
    case "eos":
      requireState(lab.places);
      await lab.configure({ exactlyOnce: command.on }, say);
      say(`exactly-once source support is ${command.on ? "on" : "off"}`);
      return 0;
    case "flush-interval":
      await lab.configure({ flushIntervalMs: command.milliseconds }, say);
      say(`offset.flush.interval.ms is ${command.milliseconds}`);
      return 0;
  }
}

const words = process.argv.slice(2);
try {
  // Not for people: the second process that ends a lab whose first one was killed.
  if (words[0] === "watch") await watch(placesOf(words[1]), words[2] ?? "");
  else process.exitCode = await run(parseCommand(words));
} catch (error) {
  console.error(
    error instanceof LabFault ? error.message : error instanceof Error ? error.stack : sayError(error),
  );
  process.exitCode = 1;
}
// Connections and timers of whatever was abandoned would keep this process.
process.exit();
