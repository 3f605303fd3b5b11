import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decodeOffsets } from "../decode";
import { decodeText } from "../decode-input";
import { isJsonObject, type JsonObject } from "../json";
import { reportedCase } from "./fixtures/read";
import { mongodb } from "./mongodb";
import type { MongoPosition } from "./mongodb-order";
import { expectTotalOrder, opposite } from "./testing/order-laws";

function token(seconds: number, increment: number, rest = "2b042c0100296e5a1004"): string {
  return `82${[seconds, increment].map((n) => n.toString(16).padStart(8, "0")).join("")}${rest}`;
}
const mark = "2b0429296e1404";

function offset(map: JsonObject): MongoPosition {
  const { position, problems } = mongodb.decodeOffset(map);
  if (!position) throw new Error(problems[0]?.text ?? "no position");
  return position;
}

function event(map: JsonObject): MongoPosition {
  const { position, problems } = mongodb.decodeSource({ snapshot: "false", ...map });
  if (!position) throw new Error(problems[0]?.text ?? "no position");
  return position;
}

function decodeOne(map: JsonObject) {
  const [report] = decodeText(JSON.stringify([{ partition: { server_id: "crm" }, offset: map }]));
  const [partition] = report?.partitions ?? [];
  if (!report || !partition) throw new Error("no partition");
  const text = (name: string) => partition.position.fields.find((f) => f.name === name)?.text;
  return { ...partition, connector: report.connector, text };
}

describe("OFF-16", () => {
  const { input, expected } = reportedCase("OFF-16");
  const cases = (Array.isArray(input) ? input : []).map((item, i) => {
    const map = isJsonObject(item) && isJsonObject(item.offset) ? item.offset : {};
    const wanted = Array.isArray(expected) ? expected[i] : null;
    return { map, wanted: isJsonObject(wanted) ? wanted : {} };
  });

  test("OFF-16: two offsets", () => expect(cases).toHaveLength(2));

  test.each(cases)("OFF-16: the time is in the token: $wanted.iso", ({ map, wanted }) => {
    const position = offset(map);
    expect(position).toMatchObject({
      seconds: BigInt(Number(wanted.sec)),
      increment: BigInt(Number(wanted.ord)),
    });
    const decoded = decodeOne(map);
    const iso = String(wanted.iso).replace(".000Z", "Z");
    expect(decoded.connector).toBe("mongodb");
    expect(decoded.position.text).toBe(`${iso} : ${wanted.ord}`);
    expect(decoded.text("resume_token")).toContain(`${iso} : ${wanted.ord}`);
    expect(decoded.sourceTime).toBe(iso);
    expect(decoded.phase).toBe("streaming");
    expect(decoded.warnings).toEqual([]);
  });

  test("OFF-16: an older sec is shown, and that the token wins", () => {
    const decoded = decodeOne(cases[0]?.map ?? {});
    expect(decoded.text("sec")).toBe(cases[0]?.wanted.sec_field);
    expect(decoded.text("ord")).toBe("2 (token wins)");
  });

  test("OFF-16: sec 0 and ord -1 hold nothing; the token was made between changes", () => {
    const decoded = decodeOne(cases[1]?.map ?? {});
    expect(decoded.text("sec")).toBe("none (the resume token has the position)");
    expect(decoded.text("ord")).toBe("none (the resume token has the position)");
    expect(decoded.text("resume_token")).toContain("made between changes");
    expect(decoded.position.meaning).toContain("no more to send");
  });
});

describe("shapes of offsets", () => {
  test.each<[string, JsonObject, Partial<MongoPosition>]>([
    [
      "token alone, sec and ord -1",
      { sec: -1, ord: -1, resume_token: token(50, 7) },
      { seconds: 50n, increment: 7n },
    ],
    ["1.9: a bare cluster time", { sec: 50, ord: 7 }, { seconds: 50n, increment: 7n, token: null }],
    [
      "after 2038 a Java int is negative",
      { sec: -2147483648, ord: 1 },
      { seconds: 2147483648n, increment: 1n },
    ],
    [
      "in a transaction",
      { sec: 50, ord: 7, resume_token: token(50, 7), lsid: "{}", txnNumber: 9223372036854775807n },
      { transaction: '["{}","9223372036854775807"]' },
    ],
    ["initial snapshot", { sec: 50, ord: 7, initsync: true }, { snapshot: "initial" }],
  ])("%s", (_, map, expected) => {
    expect(mongodb.decodeOffset(map)).toMatchObject({ position: expected, problems: [] });
  });

  test("the initial snapshot: its phase, and no source time", () => {
    expect(decodeOne({ sec: 1789367400, ord: 1, initsync: true })).toMatchObject({
      phase: "snapshot",
      sourceTime: null,
      position: { text: "2026-09-14T06:30:00Z : 1", meaning: expect.stringContaining("running snapshot") },
      warnings: [{ slug: "offset-snapshot-unfinished" }],
    });
    expect(decodeOne({ sec: 0, ord: 0, initsync: true }).warnings.map((w) => w.slug)).toEqual([
      "offset-snapshot-unfinished",
    ]);
  });

  test.each<[string, JsonObject, string]>([
    [
      "a token cut short",
      { sec: 50, ord: 7, resume_token: "82AB" },
      "resume_token is too short for a resume token: 2 bytes.",
    ],
    ["nothing", { ord: 3 }, "The offset has no resume_token, and no time in sec and ord."],
    ["sec", { sec: "x", ord: 3 }, 'sec is "x", not a time as a whole number.'],
    ["ord", { sec: 5, ord: 1.5 }, "ord is 1.5, not a whole number."],
    ["txnNumber", { sec: 5, ord: 1, txnNumber: -1 }, "txnNumber is -1, not a whole number from 0."],
    ["a number as token", { sec: 5, ord: 1, resume_token: 7 }, "resume_token is 7, not a text."],
  ])("malformed: %s", (_, map, text) => {
    const report = decodeOffsets({ type: "mongodb", offsets: [{ partition: {}, offset: map }] });
    expect(report.partitions[0]?.warnings).toEqual([{ slug: "offset-malformed", text }]);
  });

  test("a token that cannot be read leaves the time in sec and ord", () => {
    expect(offset({ sec: 50, ord: 7, resume_token: "82AB" })).toMatchObject({ seconds: 50n, token: null });
  });
});

describe("which partition a start reads", () => {
  const old = ["rs0", "rs1"].map((rs) => ({
    partition: { rs, server_id: "crm" },
    offset: { sec: 5, ord: 1 },
  }));
  const now = { partition: { server_id: "crm" }, offset: { sec: 9, ord: 1 } };
  const config = {
    "connector.class": "io.debezium.connector.mongodb.MongoDbConnector",
    "topic.prefix": "crm",
  };

  test("those of replica sets are left over once there is one of 2.6 or later", () => {
    const why =
      "Debezium 2.6 and later keep one partition for all replica sets, and have taken this one over";
    for (const given of [{ config }, { type: "mongodb" as const }])
      expect(
        decodeOffsets({ ...given, offsets: [...old, now] }).partitions.map((p) => [p.used, p.why]),
      ).toEqual([
        [false, why],
        [false, why],
        [true, given.config ? undefined : expect.stringContaining("no configuration given")],
      ]);
  });

  test("alone they are all used", () => {
    expect(decodeOffsets({ config, offsets: old }).partitions.map((p) => p.used)).toEqual([true, true]);
  });

  test("another connector's partition takes none over", () => {
    const other = { ...now, partition: { server_id: "other" } };
    expect(decodeOffsets({ config, offsets: [...old, other] }).partitions.map((p) => p.used)).toEqual([
      true,
      true,
      false,
    ]);
  });
});

describe("order of an offset and an event: before means that it would be sent again", () => {
  const at = (seconds: number, increment: number) => event({ ts_ms: seconds * 1000, ord: increment });
  const inside = event({ ts_ms: 50_000, ord: 7, lsid: "{}", txnNumber: 1 });
  const stored = (rest?: string) => offset({ resume_token: token(50, 7, rest) });

  test.each([
    ["a later second is new", stored(), at(51, 1), "before"],
    ["a later counter is new", stored(), at(50, 8), "before"],
    ["an earlier one is covered", stored(), at(50, 6), "after"],
    ["the change of the token itself is covered", stored(), at(50, 7), "equal"],
    ["of a transaction only the token tells which changes were sent", stored(), inside, "unordered"],
    ["a token made between changes covers none of its time", stored(mark), at(50, 7), "before"],
    ["and none of a transaction either", stored(mark), inside, "before"],
    ["without a token a restart reads its time again", offset({ sec: 50, ord: 7 }), at(50, 7), "before"],
    [
      "what the snapshot read is covered",
      offset({ sec: 50, ord: 7 }),
      event({ ts_ms: 50_000, ord: 7, snapshot: "true" }),
      "after",
    ],
    ["a running snapshot covers nothing", offset({ sec: 50, ord: 7, initsync: true }), at(1, 1), "unordered"],
    ["a wall clock far ahead", stored(), event({ ts_ms: 90_123, ord: 1, wallTime: 90_123 }), "before"],
    ["a wall clock far behind", stored(), event({ ts_ms: 20_123, ord: 9 }), "after"],
    ["a wall clock near by", stored(), event({ ts_ms: 51_000, ord: 9, wallTime: 51_000 }), "unordered"],
    [
      "3.7: by the event's own token",
      stored(),
      event({ resume_token: `{"_data":"${token(50, 7)}"}` }),
      "equal",
    ],
    [
      "3.7: a later change of the same transaction",
      stored(),
      event({ resume_token: `{"_data":"${token(50, 7, "2b042c01002b026e5a1004")}"}` }),
      "before",
    ],
  ] as const)("%s", (_, from, to, expected) => {
    expect(mongodb.order(from, to).order).toBe(expected);
    expect(mongodb.order(to, from).order).toBe(opposite[expected]);
  });
});

describe("order of two events", () => {
  test.each([
    ["by second", { ts_ms: 5000, ord: 9 }, { ts_ms: 6000, ord: 1 }, "before"],
    ["then by counter", { ts_ms: 5000, ord: 9 }, { ts_ms: 5000, ord: 10 }, "before"],
    [
      "a snapshot's read comes first",
      { ts_ms: 5000, ord: 9, snapshot: "true" },
      { ts_ms: 5000, ord: 9 },
      "before",
    ],
    [
      "two changes of one transaction",
      { ts_ms: 5000, ord: 9, lsid: "a" },
      { ts_ms: 5000, ord: 9, lsid: "a" },
      "equal",
    ],
    ["by wall clock", { ts_ms: 5001, ord: 9 }, { ts_ms: 6500, ord: 1 }, "before"],
    ["by wall clock, then counter", { ts_ms: 5001, ord: 3 }, { ts_ms: 5001, ord: 4 }, "before"],
    ["clock and counter disagree", { ts_ms: 5002, ord: 3 }, { ts_ms: 5001, ord: 4 }, "unordered"],
    ["a clock against a cluster time near by", { ts_ms: 5002, ord: 3 }, { ts_ms: 6000, ord: 4 }, "unordered"],
    [
      "an incremental snapshot's read",
      { ts_ms: 5000, ord: 1, snapshot: "incremental" },
      { ts_ms: 6000, ord: 4 },
      "unordered",
    ],
  ] as const)("%s", (_, a, b, expected) => {
    expect(mongodb.order(event(a), event(b)).order).toBe(expected);
    expect(mongodb.order(event(b), event(a)).order).toBe(opposite[expected]);
  });

  test("what is assumed with a wall clock is said", () => {
    expect(mongodb.order(event({ ts_ms: 1, ord: 1 }), event({ ts_ms: 99_999, ord: 1 }))).toEqual({
      order: "before",
      why: "By the server's wall clock: the event does not hold the seconds of its cluster time.",
    });
  });
});

describe("properties", () => {
  const half = fc.nat({ max: 4 });
  const rest = fc.constantFrom(mark, "2b042c0100296e5a1004", "2b042c01002b026e5a1004");
  const anyOffset = fc.oneof(
    fc
      .tuple(half, half, rest)
      .map(([s, i, r]) => offset({ sec: -1, ord: -1, resume_token: token(s + 1, i, r) })),
    fc.tuple(half, half).map(([s, i]) => offset({ sec: s + 1, ord: i })),
  );
  const anyEvent = fc.tuple(half, half).map(([s, i]) => event({ ts_ms: (s + 1) * 1000, ord: i }));

  test("of two offsets at one time the one without a token reads that time again", () => {
    const [without, tokened] = [offset({ sec: 50, ord: 7 }), offset({ resume_token: token(50, 7) })];
    expect(mongodb.order(without, tokened).order).toBe("before");
    expect(mongodb.order(tokened, without).order).toBe("after");
  });

  test("the order of offsets and that of events of cluster times is total", () => {
    expectTotalOrder(mongodb, anyOffset);
    expectTotalOrder(mongodb, anyEvent);
  });

  test("of an event and offsets: what the earlier offset covers, the later one covers", () => {
    fc.assert(
      fc.property(anyOffset, anyOffset, anyEvent, (a, b, e) => {
        if (mongodb.order(a, b).order === "after") return;
        const covered = ["equal", "after"].includes(mongodb.order(a, e).order);
        if (covered) expect(["equal", "after"]).toContain(mongodb.order(b, e).order);
      }),
      { numRuns: 1_000 },
    );
  });

  test("a position stored again is the same", () => {
    fc.assert(
      fc.property(fc.nat({ max: 2 ** 32 - 1 }), fc.nat({ max: 2 ** 32 - 1 }), rest, (s, i, r) => {
        const first = offset({ sec: 1, ord: 1, resume_token: token(s, i, r) });
        expect([first.seconds, first.increment]).toEqual([BigInt(s), BigInt(i)]);
        expect(offset({ resume_token: first.token?.data ?? "" })).toEqual(first);
      }),
    );
  });
});

describe("distance and identity", () => {
  test("seconds of cluster time", () => {
    const [a, b] = [offset({ sec: 50, ord: 1 }), offset({ sec: -1, ord: -1, resume_token: token(80, 1) })];
    expect(mongodb.distance(a, b)).toEqual({ amount: 30n, unit: "seconds" });
    expect(mongodb.distance(b, a)).toEqual({ amount: -30n, unit: "seconds" });
  });

  const identity = (source: JsonObject, op = "u", key: string | null = '{"id":"1"}') =>
    mongodb.identity({ topic: "crm.shop.orders", key, op, source });

  test("time, counter and transaction, with what may hide in one", () => {
    const plain = identity({ ts_ms: 5000, ord: 3 });
    const inTransaction = identity({ ts_ms: 5000, ord: 3, lsid: "{}", txnNumber: 4 });
    expect(plain).toMatchObject({ caveat: null });
    expect(inTransaction).toMatchObject({ caveat: expect.stringContaining("twice") });
    expect(new Set([plain.id, inTransaction.id, identity({ ts_ms: 5000, ord: 4 }).id]).size).toBe(3);
    expect(identity({ ts_ms: 5000, ord: 3 }).id).toBe(plain.id);
  });

  test("3.7: the token says it without doubt", () => {
    const at = (rest: string) => identity({ resume_token: `{"_data":"${token(50, 7, rest)}"}`, lsid: "{}" });
    expect(at("2b042c0100296e")).toMatchObject({ caveat: null });
    expect(at("2b042c0100296e").id).not.toBe(at("2b042c01002b026e").id);
  });

  test("a re-read and an event without a time have none", () => {
    expect(identity({ ts_ms: 5, ord: 1 }, "r").id).toBeNull();
    expect(identity({ ord: 1 })).toEqual({
      id: null,
      why: "The event has no cluster time: ts_ms or ord is missing.",
    });
    expect(identity({ ts_ms: 5, ord: 1 }, "c", null)).toMatchObject({
      caveat: expect.stringContaining("no key"),
    });
  });
});

test("a source block that cannot be read says why", () => {
  const problems = (source: JsonObject) => mongodb.decodeSource(source).problems.map((p) => p.text);
  expect(problems({})).toEqual([
    "ts_ms is missing, not a time as a whole number.",
    "ord is missing, not a whole number from 0.",
  ]);
  expect(problems({ ts_ms: 0, ord: -1 })).toEqual([
    "ts_ms is 0, which stands for an unknown time.",
    "ord is -1, not a whole number from 0.",
  ]);
  expect(problems({ ts_ms: 5000, ord: 1, resume_token: "82" })).toEqual([
    "resume_token is too short for a resume token: 1 bytes.",
  ]);
});

test("a resume token that cannot be read is not said to be absent", () => {
  const { position, warnings } = decodeOne({ sec: 1_789_367_390, ord: 2, resume_token: "cmFuZG9tIGJ5dGVz" });
  expect(position.meaning).toContain("a resume token that cannot be read");
  expect(warnings).toHaveLength(1);
  expect(decodeOne({ sec: 1_789_367_390, ord: 2 }).position.meaning).toContain("there is no resume token");
});
