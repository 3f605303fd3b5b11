import fc from "fast-check";
import { type JsonObject, type JsonValue, NumberText, stringifyJson } from "../../json";

/** A source block and op as bytes could be mistaken for, with the quotes escaped or not. */
const stolen =
  ',"source":{"version":"3.6.1.Final","connector":"postgresql","snapshot":"false","lsn":1},"transaction":null,"op":"d","ts_ms":1}';

const hostileTexts = [
  stolen,
  `${stolen}}`,
  stolen.replaceAll('"', '\\"'),
  '}},"payload":{"before":null',
  '"}',
  "\\",
  "\\\\",
  '\\"',
  ',"source":{',
  '"op":"c"',
  "\u2028\u0000\u001f\t\n",
  "😀 üñï \ud83d",
  "",
];
const hostileNames = [
  "source",
  "op",
  "before",
  "after",
  "payload",
  "schema",
  "transaction",
  "ts_ms",
  "connector",
  "lsn",
  ',"source":{',
  '","op":"d',
  "a\\",
  "1",
];
const hostileBlock: JsonObject = {
  version: "3.6.1.Final",
  connector: "postgresql",
  snapshot: "incremental",
  sequence: '["1","2"]',
  lsn: 1,
  txId: 2,
};

const text = fc.oneof(fc.constantFrom(...hostileTexts), fc.string({ unit: "binary", maxLength: 20 }));
const name = fc.oneof(fc.constantFrom(...hostileNames), fc.string({ unit: "grapheme", maxLength: 8 }));
const whole = fc.oneof(
  fc.nat(),
  fc.maxSafeNat(),
  fc.bigInt({ min: 0n, max: 2n ** 64n }),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 70n }),
);
const scalar: fc.Arbitrary<JsonValue> = fc.oneof(
  text,
  whole,
  fc.constantFrom(null, true, false),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((n) => new NumberText(String(n))),
);

/** A row with columns of any name and value, nested ones that copy what is looked for among them. */
export const row: fc.Arbitrary<JsonObject> = fc.letrec<{ value: JsonValue; object: JsonObject }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    scalar,
    fc.constant(hostileBlock),
    fc.constant({ before: null, after: null, source: hostileBlock, op: "d", ts_ms: 1 }),
    tie("object"),
    fc.array(tie("value"), { maxLength: 3 }),
  ),
  object: fc.dictionary(name, tie("value"), { maxKeys: 6 }).map((object) => ({ ...object })),
})).object;

type Member = [key: string, value: JsonValue];

const snapshotFlag = fc.constantFrom(
  "false",
  "false",
  "false",
  "true",
  "first",
  "last",
  "incremental",
  null,
  false,
  true,
);
const sequence = fc.oneof(
  fc
    .tuple(fc.option(fc.maxSafeNat()), fc.option(fc.maxSafeNat()))
    .map((pair) => JSON.stringify(pair.map((n) => n?.toString() ?? null))),
  fc.constantFrom(null, "x", '["1"]'),
);
const nullable = (value: fc.Arbitrary<JsonValue>) =>
  fc.oneof({ weight: 4, arbitrary: value }, fc.constant(null));

/** Fields of the connector's own, after the common ones. */
const ownFields: fc.Arbitrary<Member[]> = fc.oneof(
  fc.tuple(nullable(whole), nullable(whole), nullable(whole)).map(([txId, lsn, xmin]): Member[] => [
    ["schema", "public"],
    ["table", "orders"],
    ["txId", txId],
    ["lsn", lsn],
    ["xmin", xmin],
  ]),
  fc
    .tuple(nullable(text), fc.nat(), fc.nat(), fc.nat(), nullable(text))
    .map(([gtid, server, pos, row, query]): Member[] => [
      ["table", "products"],
      ["server_id", server],
      ["gtid", gtid],
      ["file", `mysql-bin.${String(server % 1_000_000).padStart(6, "0")}`],
      ["pos", pos],
      ["row", row],
      ["thread", null],
      ["query", query],
    ]),
  fc.tuple(text, text).map(([scn, lsid]): Member[] => [
    ["commit_scn", scn],
    ["lsid", lsid],
    ["ord", 1],
  ]),
);

/** The blocks of 1.9 (no ts_us), of 2.6 and of 3.x. */
const source = fc
  .tuple(fc.boolean(), snapshotFlag, sequence, fc.nat(), ownFields, text)
  .map(([newer, flag, sequence, at, own, db]): Member[] => [
    ["version", newer ? "3.6.1.Final" : "1.9.7.Final"],
    ["connector", "postgresql"],
    ["name", "shop"],
    ["ts_ms", at],
    ["snapshot", flag],
    ["db", db],
    ["sequence", sequence],
    ...(newer
      ? ([
          ["ts_us", at * 1000],
          ["ts_ns", BigInt(at) * 1_000_000n],
        ] satisfies Member[])
      : []),
    ...own,
  ]);

const transaction = fc.oneof(
  fc.constant(null),
  fc
    .tuple(text, fc.nat(), fc.nat())
    .map(([id, total, own]): JsonObject => ({ id, total_order: total, data_collection_order: own })),
);
const operation = fc.constantFrom("c", "u", "d", "r", "t");

/** Envelopes in the orders of 1.9, 2.x and 3.x and of MongoDB. */
export const envelope: fc.Arbitrary<Member[]> = fc
  .tuple(fc.option(row), fc.option(row), source, transaction, operation, fc.nat(), fc.nat({ max: 3 }))
  .map(([before, after, source, transaction, op, at, order]): Member[] => {
    const block = Object.fromEntries(source);
    const rows: Member[] = [
      ["before", before],
      ["after", after],
    ];
    const times: Member[] = [
      ["ts_ms", at],
      ["ts_us", at * 1000],
      ["ts_ns", BigInt(at) * 1_000_000n],
    ];
    if (order === 0)
      return [...rows, ["source", block], ["op", op], ["ts_ms", at], ["transaction", transaction]];
    if (order === 1) return [...rows, ["source", block], ["op", op], ...times, ["transaction", transaction]];
    if (order === 2)
      return [
        ["after", after],
        ["updateDescription", before],
        ["source", block],
        ["op", op],
        ["ts_ms", at],
        ["transaction", transaction],
      ];
    return [...rows, ["source", block], ["transaction", transaction], ["op", op], ...times];
  });

/** As JsonConverter writes it: no whitespace, the members in order. */
export function compact(members: readonly Member[]): string {
  return `{${members.map(([key, value]) => `${JSON.stringify(key)}:${stringifyJson(value)}`).join(",")}}`;
}

/** As JsonConverter writes it with schemas.enable. Only what tells an envelope is made of the schema. */
export function withSchema(members: readonly Member[], topic: string): string {
  const fields = members.map(([key, value]) => ({
    type: typeof value === "object" && value !== null ? "struct" : "string",
    fields: [{ type: "string", optional: true, field: ',"source":{' }],
    optional: true,
    field: key,
  }));
  const schema = { type: "struct", fields, optional: false, name: `${topic}.Envelope` };
  return `{"schema":${JSON.stringify(schema)},"payload":${compact(members)}}`;
}

/** Some characters written as escapes, which leaves the meaning as it is; in keys too when asked. */
export function escaped(json: string, inKeys: boolean, seed: number): string {
  let n = seed;
  return json.replace(/"(?:[^"\\]|\\.)*"(:?)/g, (text, colon: string) => {
    if (colon !== "" && !inKeys) return text;
    return text.replace(/\\u[0-9a-f]{4}|\\.|[a-z]/g, (found) => {
      n = (n * 1_103_515_245 + 12_345) % 2_147_483_648;
      if (found.length > 1 || n % 7 !== 0) return found;
      return `\\u${found.charCodeAt(0).toString(16).padStart(4, "0")}`;
    });
  });
}
