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
};

describe("the command line", () => {
  test.each([
    [["up"], UP],
    [["up", "--attached", "--no-mariadb"], { ...UP, attached: true, mariadb: false }],
    [["up", "--secure"], { ...UP, secure: true }],
    [["up", "--avro"], { ...UP, avro: true }],
    [["up", "--secure", "--only", "broker"], { ...UP, secure: true, only: "broker" }],
    [["up", "--only", "broker", "--brokers", "3"], { ...UP, only: "broker", brokers: 3 }],
    [["down"], { name: "down" }],
    [["demo"], { name: "demo" }],
    [["env"], { name: "env" }],
    [["reset"], { name: "reset" }],
    [["status", "--json"], { name: "status", json: true }],
    [["write"], { name: "write", rate: 20, seconds: undefined }],
    [["write", "--rate", "200", "--seconds=30"], { name: "write", rate: 200, seconds: 30 }],
    [["burst", "5000"], { name: "burst", changes: 5000 }],
    [["truth", "a.b.c", "--json"], { name: "truth", topic: "a.b.c", json: true }],
    [["truth", "--all"], { name: "truth", topic: undefined, json: false }],
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
      "crash needs one of: broker, broker-2, broker-3, postgres, mariadb, registry, connect.",
    ],
    [["up", "--only", "connect"], '--only takes broker, not "connect".'],
    [["up", "--only", "broker", "--avro"], "--avro needs more than the broker"],
    [["up", "--brokers", "4"], "--brokers takes 1 to 3."],
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
