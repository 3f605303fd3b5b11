import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type JsonObject, type JsonValue, parseJson, wholeNumber } from "../json";
import { EventScanner } from "./event-scanner";
import { capturedRecords, record } from "./fixtures/read";
import { own } from "./members";
import { readRecord } from "./read-record";
import type { RecordReading } from "./record-reading";
import { compact, envelope, escaped, row, withSchema } from "./testing/random-events";

const fields = ["sequence", "lsn", "txId", "xmin", "file", "pos", "gtid", "ts_ns", "snapshot", "nothing"];

/** What a scanner answers, field by field, as the full reading has it. */
function found(scanner: EventScanner) {
  return {
    op: String.fromCharCode(scanner.op),
    snapshot: scanner.snapshot,
    transactionId: scanner.transactionId(),
    totalOrder: scanner.totalOrder,
    hasTransaction: scanner.hasTransaction,
    processedAt: scanner.processedAt,
    values: fields.map((_, i) => fieldOf(scanner, i)),
    numbers: fields.map((_, i) => scanner.number(i)),
    source: scanner.source(),
  };
}

function fieldOf(scanner: EventScanner, field: number): JsonValue | undefined {
  const at = scanner.startOf(field);
  if (at < 0) return undefined;
  return parseJson(scanner.bytes.toString("utf8", at, scanner.stopOf(field)));
}

function small(value: JsonValue | undefined): number {
  const number = typeof value === "string" ? null : wholeNumber(value);
  const isSmall = number !== null && number >= 0n && number <= BigInt(Number.MAX_SAFE_INTEGER);
  return isSmall ? Number(number) : Number.NaN;
}

function expected(
  reading: Extract<RecordReading, { kind: "change" }>,
  whole: JsonObject,
): ReturnType<typeof found> {
  const transaction = reading.transaction;
  const id = transaction === null ? null : own(transaction, "id");
  return {
    op: reading.op,
    snapshot: reading.snapshot,
    transactionId: typeof id === "string" ? id : null,
    totalOrder: transaction === null ? Number.NaN : small(own(transaction, "total_order")),
    hasTransaction: transaction !== null,
    processedAt: reading.processedAt ?? Number.NaN,
    values: fields.map((field) => own(whole, field)),
    numbers: fields.map((field) => small(own(whole, field))),
    source: reading.source,
  };
}

/** Scans values that lie in one buffer with other bytes around them, as in a fetched batch. */
function scanAll(
  scanner: EventScanner,
  values: readonly string[],
  check: (value: string, scan: string) => void,
) {
  const parts = values.map((value) => Buffer.from(value));
  const bytes = Buffer.concat([Buffer.from('{"before":'), ...parts, Buffer.from('}},"op":"c"}')]);
  let at = 10;
  for (const [i, part] of parts.entries()) {
    check(values[i] ?? "", scanner.scan(bytes, at, at + part.length));
    at += part.length;
  }
}

/** The scan agrees with the full reading or declines; gives back the scans. */
function agrees(scanner: EventScanner, values: readonly string[]): string[] {
  const scans: string[] = [];
  scanAll(scanner, values, (value, scan) => {
    scans.push(scan);
    const reading = readRecord(record(value), { topic: "t" });
    if (scan === "other") expect(reading.kind).not.toBe("change");
    if (scan !== "change") return;
    if (reading.kind !== "change") throw new Error(`taken for a change: ${value}`);
    const whole = reading.source;
    expect(found(scanner)).toEqual(expected(reading, whole));
  });
  return scans;
}

describe("captured events", () => {
  const changes = capturedRecords().filter(
    ({ topic, record }) => readRecord(record, { topic }).kind === "change" && topic !== "odd.message",
  );

  test("every one is found by bytes, both converters' forms with one scanner", () => {
    expect(changes.length).toBeGreaterThan(30);
    const values = changes.map(({ value }) => value ?? "");
    expect(new Set(agrees(new EventScanner(fields), [...values, ...values.reverse()]))).toEqual(
      new Set(["change"]),
    );
  });

  test("what is no change event is not taken for one", () => {
    const others = capturedRecords(({ topic }) => !changes.some((change) => change.topic === topic));
    const values = others.flatMap(({ value }) => value ?? []);
    expect(values.length).toBeGreaterThan(50);
    expect(agrees(new EventScanner(fields), values)).not.toContain("change");
  });
});

describe("byte search equals the full reading", () => {
  const plain = envelope.map(compact);
  const framed = fc
    .tuple(envelope, fc.constantFrom("a", "b", "c"))
    .map(([members, topic]) => withSchema(members, topic));

  test("on events that JsonConverter writes, with hostile rows: always found", () => {
    const events = fc.array(fc.oneof(plain, framed), { minLength: 1, maxLength: 12 });
    const run = fc.property(events, (values) => {
      expect(agrees(new EventScanner(fields), values)).not.toContain("undecided");
    });
    fc.assert(run, { numRuns: 250 });
  });

  test("when texts and keys are escaped, members shuffled, left out or added, or with whitespace: or it declines", () => {
    const odd = fc
      .tuple(
        envelope,
        row,
        fc.nat({ max: 20 }),
        fc.nat({ max: 20 }),
        fc.boolean(),
        fc.nat(),
        fc.constantFrom(0, 0, 1),
      )
      .map(([members, extra, from, to, framedToo, seed, indent]) => {
        const changed = [
          ...members,
          ...Object.entries(extra).filter(([key]) => !members.some((m) => m[0] === key)),
        ];
        const [moved] = changed.splice(from % changed.length, 1);
        if (moved && to < changed.length) changed.splice(to, 0, moved);
        const json = framedToo ? withSchema(changed, "t") : compact(changed);
        const spaced = indent === 0 ? json : json.replace(/([,:{])/g, (c) => (seed % 3 === 0 ? `${c} ` : c));
        return escaped(spaced, seed % 2 === 0, seed);
      });
    const run = fc.property(fc.array(odd, { minLength: 1, maxLength: 8 }), (values) => {
      agrees(new EventScanner(fields), values);
    });
    fc.assert(run, { numRuns: 250 });
  });

  test("on rows without an envelope", () => {
    const rows = fc.array(
      fc.oneof(
        row.map((r) => compact(Object.entries(r))),
        fc.json(),
      ),
      { maxLength: 8 },
    );
    fc.assert(
      fc.property(rows, (values) => void agrees(new EventScanner(fields), values)),
      { numRuns: 200 },
    );
  });

  test("on bytes that are no JSON it neither hangs nor throws", () => {
    const noise = fc.tuple(fc.oneof(plain, framed), fc.nat(), fc.nat(), fc.uint8Array({ maxLength: 8 }));
    const run = fc.property(noise, ([value, cut, at, bytes]) => {
      const whole = Buffer.from(value);
      const part = Buffer.from(whole.subarray(0, cut % (whole.length + 1)));
      part.set(bytes.subarray(0, part.length), at % Math.max(1, part.length - bytes.length));
      const scanner = new EventScanner(fields);
      expect(["change", "other", "undecided"]).toContain(scanner.scan(part, 0, part.length));
    });
    fc.assert(run, { numRuns: 300 });
  });
});

describe("what a column cannot do", () => {
  const source = '"source":{"version":"3.6.1.Final","connector":"postgresql","lsn":5}';
  const scan = (value: string) => agrees(new EventScanner(fields), [value])[0];

  test.each([
    [
      "a struct called source as the last column",
      `{"before":null,"after":{"id":1,${source},"op":"d"},"op":"c"}`,
    ],
    ["a source inside the tail", `{"before":null,${source},"op":"c","message":{"id":1,${source},"op":"d"}}`],
    ["no connector in the block", '{"before":null,"source":{"lsn":5},"op":"c","ts_ms":1,"transaction":null}'],
    ["a row that has neither before nor after", `{"id":1,${source},"op":"c","ts_ms":1,"transaction":null}`],
    [
      "an escaped key in the block",
      '{"before":null,"source":{"connector":"postgresql","l\\u0073n":5},"op":"c","ts_ms":1,"transaction":null}',
    ],
    [
      "an escaped key behind the block",
      `{"before":null,${source},"o\\u0070":"c","ts_ms":1,"transaction":null}`,
    ],
    ["an op of several letters", `{"before":null,${source},"op":"cc","ts_ms":1,"transaction":null}`],
    [
      "a transaction before the block",
      `{"before":null,"transaction":{"id":"1"},${source},"op":"c","ts_ms":1}`,
    ],
  ])("%s: not decided", (_, value) => {
    const framed = `{"schema":{"type":"struct","fields":[{"field":"source"},{"field":"op"}]},"payload":${value}}`;
    expect(new EventScanner(fields).scan(Buffer.from(value), 0, value.length)).toBe("undecided");
    expect(new EventScanner(fields).scan(Buffer.from(framed), 0, framed.length)).toBe("undecided");
  });

  test("a list behind the block, and braces in the texts of the block and of the transaction: found", () => {
    const braces = `"source":{"connector":"mongodb","lsid":"{\\"id\\":{}}"}`;
    expect(scan(`{"before":null,${source},"op":"c","ts_ms":1,"transaction":null,"extra":[1]}`)).toBe(
      "change",
    );
    expect(scan(`{"before":null,${braces},"op":"c","ts_ms":1,"transaction":null}`)).toBe("change");
    expect(
      scan(
        `{"before":null,${braces},"op":"c","ts_ms":1,"transaction":{"id":"{\\"x\\":1}:7","total_order":2}}`,
      ),
    ).toBe("change");
  });

  test.each([
    ["an op in a list behind the block", `${source},"extra":[{"x":1,"op":"d","ts_ms":5}],"op":"c","ts_ms":1`],
    [
      "a transaction in a list behind the block, its own before it",
      `"transaction":{"id":"7"},${source},"extra":[{"x":1,"transaction":null}],"op":"c","ts_ms":1`,
    ],
    ["a space behind the key of a transaction", `"transaction" :{"id":"7"},${source},"op":"c","ts_ms":1`],
    [
      "a map in the block",
      '"source":{"connector":"postgresql","x":{"lsn":7},"txId":null},"op":"c","ts_ms":1',
    ],
    [
      "a map in a list in the block",
      '"source":{"connector":"postgresql","x":[{"lsn":7}]},"op":"c","ts_ms":1',
    ],
    ["a space before a value", '"source":{"connector":"postgresql","lsn": 7},"op":"c","ts_ms":1'],
    [
      "a map in the transaction",
      `${source},"op":"c","ts_ms":1,"transaction":{"x":{"total_order":9},"total_order":3}`,
    ],
  ])("%s: not decided", (_, members) => {
    expect(scan(`{"before":null,${members}}`)).toBe("undecided");
  });

  test("a space before a key of the block, or before a number of the transaction: read", () => {
    const spaced = '"source":{"connector":"postgresql", "lsn":7}';
    const block = '"transaction":{"id":"7", "total_order": 3}';
    expect(scan(`{"before":null,${spaced},"op":"c","ts_ms":1,${block}}`)).toBe("change");
  });

  test("keys of the transaction with escapes are read", () => {
    const block = `"transaction":{"i\\u0064":"7","total_\\u006frder":3}`;
    expect(scan(`{"before":null,${source},"op":"c","ts_ms":1,${block}}`)).toBe("change");
  });

  test("a transaction before the block, its key with escapes: not decided", () => {
    expect(scan(`{"before":null,"tr\\u0061nsaction":{"id":"7"},${source},"op":"c","ts_ms":1}`)).toBe(
      "undecided",
    );
  });

  test("an event without a transaction member is found, whatever the row says", () => {
    expect(scan(`{"before":null,"after":{"x":"\\"transaction\\":1"},${source},"op":"c","ts_ms":1}`)).toBe(
      "change",
    );
  });

  test("a table called schema does not pass for a schema", () => {
    const value = `{"schema":{"type":"struct","fields":[]},"payload":{"before":null,${source},"op":"c","ts_ms":1,"transaction":null}}`;
    expect(scan(value)).toBe("undecided");
  });

  test("a changed schema is learned; many tables in one topic too", () => {
    const framed = (n: number) =>
      `{"schema":{"type":"struct","fields":[{"field":"source"},{"field":"op"}],"name":"t${n}"},"payload":{"before":null,${source},"transaction":null,"op":"c","ts_ms":1}}`;
    const values = Array.from({ length: 60 }, (_, i) => framed((i * 7) % 20));
    expect(new Set(agrees(new EventScanner(fields), values))).toEqual(new Set(["change"]));
  });

  test("empty values and other formats", () => {
    const scanner = new EventScanner(fields);
    const scanHex = (hex: string) => scanner.scan(Buffer.from(hex, "hex"), 0, hex.length / 2);
    expect(scanHex("")).toBe("other");
    expect(scanHex("5b5d")).toBe("other");
    expect(scanHex("000000002a0206")).toBe("undecided");
    expect(scanHex("207b7d")).toBe("undecided");
    expect(scanHex("7b")).toBe("undecided");
  });
});
