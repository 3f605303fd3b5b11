import { parseArgs } from "node:util";
import { LabFault } from "./fault";
import type { SnapshotKind } from "./lab";
import { BROKER_NAMES, PROCESS_NAMES, type ProcessName, WORKER_NAMES } from "./state";

export const HELP = `The lab: a real Kafka, Connect, Debezium, PostgreSQL and MariaDB on this machine, on loopback only.

npm run lab -- COMMAND

  up [--attached] [--no-mariadb]   bring it up; attached: stay, and end it all with Ctrl-C
     [--secure]                    with a broker that asks for a login (SASL) and for rights (ACLs)
     [--avro]                      with a schema registry and a connector that writes Avro; stays until reset
     [--only broker]               with nothing but the broker
     [--brokers N]                 with 1 to 3 brokers, the first of them the controller; stays until reset
     [--workers N]                 with 1 to 3 Connect workers: connect, connect-2, connect-3
  demo                             bring it up with a writer and the built dashboard, until Ctrl-C
  down                             end it; data stay
  reset                            end it and throw its data away
  status [--json]                  what runs, on which ports
  env                              print what a command shown on a page needs: eval "$(npm run -s lab -- env)"
  write [--rate N] [--seconds S]   write N changes a second (20) to each database, until stopped
     [--writers N]                 by N sessions (1) at once, 100 at most, whose transactions interleave
  burst N                          write N changes to each database as fast as possible
  truth TOPIC | --all [--json]     records, duplicates and missing changes of a topic, exactly
     [--stretches]                 and in which stretches of which partitions the duplicates lie
  snapshot TABLE [--blocking]      have a table (public.orders) read again, by a signal through Kafka
  crash NAME [--stay-down]         kill -9 one of ${PROCESS_NAMES.join(", ")}, and start it again
  start NAME                       start one that is down
  stop NAME                        stop one gracefully
  restart NAME                     stop one gracefully and start it again
  freeze NAME                      stop one where it stands (SIGSTOP)
  thaw NAME                        let it go on (SIGCONT)
  eos on|off                       exactly-once source support of the worker (restarts it gracefully)
  flush-interval MS                offset.flush.interval.ms of the worker (restarts it gracefully)

Its folder: TIDEMARK_LAB_DIR, else .lab in the checkout. Downloads: TIDEMARK_LAB_CACHE, else ~/.cache/tidemark-lab.`;

/** What the lab is asked to do. */
export type Command =
  | { name: "help" | "down" | "reset" | "demo" | "env" }
  | {
      name: "up";
      attached: boolean;
      mariadb: boolean;
      secure: boolean;
      avro: boolean;
      only: "broker" | undefined;
      brokers: number;
      workers: number | undefined;
    }
  | { name: "status"; json: boolean }
  | { name: "write"; rate: number; writers: number; seconds: number | undefined }
  | { name: "burst"; changes: number }
  | { name: "truth"; topic: string | undefined; stretches: boolean; json: boolean }
  | { name: "snapshot"; table: string; kind: SnapshotKind }
  | { name: "crash"; process: ProcessName; stayDown: boolean }
  | { name: "start" | "stop" | "restart" | "freeze" | "thaw"; process: ProcessName }
  | { name: "eos"; on: boolean }
  | { name: "flush-interval"; milliseconds: number };

/** Reads the command line. @throws LabFault with what would be right */
export function parseCommand(words: readonly string[]): Command {
  const { values, positionals } = readOptions(words);
  const [name, argument, ...more] = positionals;
  if (values.help || name === undefined || name === "help") return { name: "help" };
  if (more.length > 0) throw wrong(`"${more.join(" ")}" is one word too many.`);
  const plain = new Set(["up", "down", "reset", "status", "write", "demo", "env"]);
  if (plain.has(name) && argument !== undefined) throw wrong(`${name} takes no "${argument}".`);
  switch (name) {
    case "down":
    case "reset":
    case "demo":
    case "env":
      return { name };
    case "up":
      return { name, ...upOptions(values) };
    case "status":
      return { name, json: values.json ?? false };
    case "write":
      return {
        name,
        rate: optional("--rate", values.rate) ?? 20,
        writers: atMost("--writers", values.writers, 100) ?? 1,
        seconds: optional("--seconds", values.seconds),
      };
    case "burst":
      return { name, changes: count("burst", argument) };
    case "truth":
      if (argument === undefined && !values.all) throw wrong("truth needs a topic, or --all.");
      return { name, topic: argument, stretches: values.stretches ?? false, json: values.json ?? false };
    case "snapshot":
      if (argument === undefined) throw wrong("snapshot needs a table, as in public.orders.");
      return { name, table: argument, kind: values.blocking ? "blocking" : "incremental" };
    case "crash":
      return { name, process: processName(name, argument), stayDown: values["stay-down"] ?? false };
    case "start":
    case "stop":
    case "restart":
    case "freeze":
    case "thaw":
      return { name, process: processName(name, argument) };
    case "eos":
      if (argument !== "on" && argument !== "off") throw wrong("eos is on or off.");
      return { name, on: argument === "on" };
    case "flush-interval":
      return { name, milliseconds: count("flush-interval", argument) };
    default:
      throw wrong(`There is no command "${name}".`);
  }
}

function readOptions(words: readonly string[]) {
  try {
    return parseArgs({
      args: [...words],
      allowPositionals: true,
      options: {
        help: { type: "boolean", short: "h" },
        attached: { type: "boolean" },
        "no-mariadb": { type: "boolean" },
        secure: { type: "boolean" },
        avro: { type: "boolean" },
        only: { type: "string" },
        brokers: { type: "string" },
        workers: { type: "string" },
        writers: { type: "string" },
        stretches: { type: "boolean" },
        blocking: { type: "boolean" },
        json: { type: "boolean" },
        all: { type: "boolean" },
        "stay-down": { type: "boolean" },
        rate: { type: "string" },
        seconds: { type: "string" },
      },
    });
  } catch (error) {
    throw wrong(error instanceof Error ? error.message : String(error));
  }
}

function upOptions(
  values: ReturnType<typeof readOptions>["values"],
): Omit<Extract<Command, { name: "up" }>, "name"> {
  const { only, avro = false, secure = false, attached = false } = values;
  if (only !== undefined && only !== "broker") throw wrong(`--only takes broker, not "${only}".`);
  if (only && avro) throw wrong("--avro needs more than the broker: leave --only out.");
  const brokers = atMost("--brokers", values.brokers, BROKER_NAMES.length) ?? 1;
  const workers = atMost("--workers", values.workers, WORKER_NAMES.length);
  return { attached, mariadb: !values["no-mariadb"], secure, avro, only, brokers, workers };
}

function processName(command: string, word: string | undefined): ProcessName {
  const found = PROCESS_NAMES.find((name) => name === word);
  if (!found) throw wrong(`${command} needs one of: ${PROCESS_NAMES.join(", ")}.`);
  return found;
}

function optional(option: string, word: string | undefined): number | undefined {
  return word === undefined ? undefined : count(option, word);
}

function atMost(option: string, word: string | undefined, most: number): number | undefined {
  const found = optional(option, word);
  if (found !== undefined && found > most) throw wrong(`${option} takes 1 to ${most}.`);
  return found;
}

/** A whole number from 1 to a thousand million. */
function count(what: string, word: string | undefined): number {
  if (word === undefined || !/^[1-9]\d{0,8}$/.test(word)) {
    throw wrong(`${what} needs a whole number above 0${word === undefined ? "" : `, not "${word}"`}.`);
  }
  return Number(word);
}

function wrong(sentence: string): LabFault {
  return new LabFault(`${sentence} All commands: npm run lab -- --help`);
}
