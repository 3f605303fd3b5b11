import { describe, expect, test } from "vitest";
import { FetchGate } from "./fetch-gate";

const MB = 1024 * 1024;
const turn = () => new Promise((done) => setImmediate(done));

/** Work that is under way until it is told to end. */
function underWay() {
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const work = (name: string) => () => {
    begun.push(name);
    return new Promise<string>((done) => ends.set(name, () => done(name)));
  };
  return { begun, work, end: (name: string) => ends.get(name)?.() };
}

describe("fetches from one broker", () => {
  test("wait in line while 16 MiB are asked for, and come in order", async () => {
    const { begun, work, end } = underWay();
    const gate = new FetchGate();
    const all = ["a", "b", "c", "d"].map((name) => gate.run(1, 8 * MB, undefined, work(name)));
    await turn();
    expect(begun).toEqual(["a", "b"]);
    end("b");
    await turn();
    expect(begun).toEqual(["a", "b", "c"]);
    end("a");
    end("c");
    await turn();
    end("d");
    expect(await Promise.all(all)).toEqual(["a", "b", "c", "d"]);
  });

  test("of a single byte: 64 at once", async () => {
    const { begun, work } = underWay();
    const gate = new FetchGate();
    for (let i = 0; i < 100; i++) void gate.run(1, 1, undefined, work(`${i}`));
    await turn();
    expect(begun.length).toBe(64);
  });

  test("one that asks for more than that goes alone, and none overtakes it", async () => {
    const { begun, work, end } = underWay();
    const gate = new FetchGate();
    for (const [name, bytes] of [
      ["small", 1],
      ["huge", 60 * MB],
      ["later", 1],
    ] as const)
      void gate.run(1, bytes, undefined, work(name));
    await turn();
    expect(begun).toEqual(["small"]);
    end("small");
    await turn();
    expect(begun).toEqual(["small", "huge"]);
    end("huge");
    await turn();
    expect(begun).toEqual(["small", "huge", "later"]);
  });

  test("that fail, or are given up before their turn, make room", async () => {
    const { begun, work } = underWay();
    const gate = new FetchGate();
    const stop = new AbortController();
    let fail = () => {};
    const failing = gate.run(
      1,
      16 * MB,
      undefined,
      () => new Promise((_, no) => (fail = () => no(new Error("away")))),
    );
    const given = gate.run(1, 16 * MB, stop.signal, work("given up"));
    void gate.run(1, 16 * MB, undefined, work("next"));
    await turn();
    stop.abort(new Error("enough"));
    fail();
    await expect(failing).rejects.toThrow("away");
    await expect(given).rejects.toThrow("enough");
    await turn();
    expect(begun).toEqual(["next"]);
  });

  test("have nothing to do with those from another", async () => {
    const { begun, work } = underWay();
    const gate = new FetchGate();
    for (const broker of [1, 2]) void gate.run(broker, 16 * MB, undefined, work(`${broker}`));
    await turn();
    expect(begun).toEqual(["1", "2"]);
  });
});

test("over a slow network less is asked for at a time, and a little more again as answers come in time", () => {
  const gate = new FetchGate();
  const most = gate.mostBytes;
  gate.inTime();
  expect(gate.mostBytes).toBe(most);
  gate.tooLate(8 * MB);
  expect(gate.mostBytes).toBe(4 * MB);
  gate.inTime();
  expect(gate.mostBytes).toBe(4.25 * MB);
  gate.tooLate(1);
  expect(gate.mostBytes).toBe(4.25 * MB);
  for (let i = 0; i < 20; i++) gate.tooLate(gate.mostBytes);
  expect(gate.mostBytes).toBe(64 * 1024);
});
