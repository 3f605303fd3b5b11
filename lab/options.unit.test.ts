import { describe, expect, test } from "vitest";
import { LabFault } from "./fault";
import { HELP, parseCommand } from "./options";

const UP = {
  name: "up",
  attached: false,
  mariadb: true,
  secure: false,
  avro: false,
  only: undefined,
  brokers: 1,
  workers: undefined,
};

describe("the command line", () => {
  test.each([
    [["up"], UP],
    [["up", "--attached", "--no-mariadb"], { ...UP, attached: true, mariadb: false }],
    [["up", "--secure"], { ...UP, secure: true }],
    [["up", "--avro"], { ...UP, avro: true }],
    [["up", "--secure", "--only", "broker"], { ...UP, secure: true, only: "broker" }],
    [["up", "--only", "broker", "--brokers", "3"], { ...UP, only: "broker", brokers: 3 }],
    [["up", "--workers", "3"], { ...UP, workers: 3 }],
    [["down"], { name: "down" }],
    [["demo"], { name: "demo" }],
    [["env"], { name: "env" }],
    [["reset"], { name: "reset" }],
    [["status", "--json"], { name: "status", json: true }],
    [["write"], { name: "write", rate: 20, writers: 1, seconds: undefined }],
    [
      ["write", "--rate", "200", "--seconds=30", "--writers", "16"],
      { name: "write", rate: 200, writers: 16, seconds: 30 },
    ],
    [["burst", "5000"], { name: "burst", changes: 5000 }],
    [["truth", "a.b.c", "--json"], { name: "truth", topic: "a.b.c", stretches: false, json: true }],
    [["truth", "--all", "--stretches"], { name: "truth", topic: undefined, stretches: true, json: false }],
    [["snapshot", "public.orders"], { name: "snapshot", table: "public.orders", kind: "incremental" }],
    [
      ["snapshot", "inventory.products", "--blocking"],
      { name: "snapshot", table: "inventory.products", kind: "blocking" },
    ],
    [["freeze", "connect-2"], { name: "freeze", process: "connect-2" }],
    [["thaw", "connect-2"], { name: "thaw", process: "connect-2" }],
    [["crash", "connect"], { name: "crash", process: "connect", stayDown: false }],
    [["crash", "broker", "--stay-down"], { name: "crash", process: "broker", stayDown: true }],
    [["start", "mariadb"], { name: "start", process: "mariadb" }],
    [["stop", "broker-2"], { name: "stop", process: "broker-2" }],
    [["restart", "connect"], { name: "restart", process: "connect" }],
    [["eos", "on"], { name: "eos", on: true }],
    [["flush-interval", "60000"], { name: "flush-interval", milliseconds: 60000 }],
    [[], { name: "help" }],
    [["up", "--help"], { name: "help" }],
  ])("%j", (words, command) => {
    expect(parseCommand(words)).toEqual(command);
  });

  test.each([
    [["upp"], 'There is no command "upp".'],
    [["up", "now"], 'up takes no "now".'],
    [["burst"], "burst needs a whole number above 0."],
    [["burst", "-3x"], "Unknown option"],
    [["burst", "0"], 'burst needs a whole number above 0, not "0".'],
    [["write", "--rate", "fast"], '--rate needs a whole number above 0, not "fast".'],
    [
      ["crash", "kafka"],
      "crash needs one of: broker, broker-2, broker-3, postgres, mariadb, registry, connect, connect-2, connect-3.",
    ],
    [["up", "--only", "connect"], '--only takes broker, not "connect".'],
    [["up", "--only", "broker", "--avro"], "--avro needs more than the broker"],
    [["up", "--brokers", "4"], "--brokers takes 1 to 3."],
    [["up", "--workers", "4"], "--workers takes 1 to 3."],
    [["snapshot"], "snapshot needs a table"],
    [["eos", "maybe"], "eos is on or off."],
    [["truth"], "truth needs a topic, or --all."],
    [["burst", "1", "2"], '"2" is one word too many.'],
  ])("%j is refused with a sentence", (words, sentence) => {
    expect(() => parseCommand(words)).toThrow(LabFault);
    expect(() => parseCommand(words)).toThrow(sentence);
  });

  test("the help names every command", () => {
    for (const name of [
      "up",
      "down",
      "reset",
      "status",
      "write",
      "burst",
      "truth",
      "snapshot",
      "freeze",
      "thaw",
      "crash",
      "start",
      "stop",
      "restart",
      "eos",
    ]) {
      expect(HELP).toMatch(new RegExp(`^ {2}${name}\\b`, "m"));
    }
    expect(HELP).toContain("flush-interval MS");
  });
});
