import { z } from "zod";
import { connectorViewSchema } from "./connector";
import { decodeAnswerSchema, decodeRequestSchema } from "./decode-request";
import { duplicatesViewSchema } from "./duplicates-schema";
import { errorAnswerSchema } from "./error-answer";
import { findingsViewSchema } from "./findings";
import { fleetViewSchema } from "./fleet";
import {
  measurementsViewSchema,
  measurementViewSchema,
  measureRequestSchema,
  topicsViewSchema,
} from "./measure-schema";
import { replayHistoryViewSchema } from "./replay-window-schema";
import { schemaHistoryViewSchema } from "./schema-history";
import { statusViewSchema } from "./status";
import { windowRanges } from "./window-range";

/** Every schema of the API by the name that the document gives it. */
const schemas = {
  Fleet: fleetViewSchema,
  Connector: connectorViewSchema,
  ReplayHistory: replayHistoryViewSchema,
  Duplicates: duplicatesViewSchema,
  MeasureRequest: measureRequestSchema,
  Measurements: measurementsViewSchema,
  Measurement: measurementViewSchema,
  Topics: topicsViewSchema,
  SchemaHistory: schemaHistoryViewSchema,
  Status: statusViewSchema,
  Findings: findingsViewSchema,
  DecodeRequest: decodeRequestSchema,
  DecodeAnswer: decodeAnswerSchema,
  Error: errorAnswerSchema,
};
type SchemaName = keyof typeof schemas;

interface Operation {
  method: "get" | "post";
  path: string;
  summary: string;
  answer: SchemaName | null;
  errors: readonly number[];
  parameters?: readonly object[];
  request?: SchemaName;
  /** Also answers with text/csv when `format=csv` is asked for. */
  csv?: boolean;
}

function inPath(name: string, description: string): object {
  return { name, in: "path", required: true, description, schema: { type: "string" } };
}

function inQuery(name: string, description: string, schema: object = { type: "string" }): object {
  return { name, in: "query", required: false, description, schema };
}

const dateTime = { type: "string", format: "date-time" };
const csvOrJson = inQuery("format", "CSV has a line for each replay.", {
  type: "string",
  enum: ["json", "csv"],
  default: "json",
});

const operations: readonly Operation[] = [
  {
    method: "get",
    path: "/api/v1/fleet",
    summary: "Every connector, worst first, and the open findings.",
    answer: "Fleet",
    errors: [503],
  },
  {
    method: "get",
    path: "/api/v1/clusters/{cluster}/connectors/{connector}",
    summary: "One connector: state, findings, decoded position, schema history, tasks and topics.",
    answer: "Connector",
    errors: [400, 404, 503],
    parameters: [
      inPath("cluster", "The cluster's name."),
      inPath("connector", "The connector's name, percent-encoded whole."),
    ],
  },
  {
    method: "get",
    path: "/api/v1/clusters/{cluster}/connectors/{connector}/replay-window",
    summary:
      "How a connector's replay window was over a time, its restarts, and what another flush interval would do.",
    answer: "ReplayHistory",
    errors: [400, 404, 503],
    parameters: [
      inPath("cluster", "The cluster's name."),
      inPath("connector", "The connector's name, percent-encoded whole."),
      inQuery("range", "The time until now.", { type: "string", enum: windowRanges, default: "1h" }),
    ],
  },
  {
    method: "get",
    path: "/api/v1/clusters/{cluster}/connectors/{connector}/duplicates",
    summary:
      "What a connector's topics hold twice: each replay to the record, and what is known of each topic.",
    answer: "Duplicates",
    csv: true,
    errors: [400, 404, 503],
    parameters: [
      inPath("cluster", "The cluster's name."),
      inPath("connector", "The connector's name, percent-encoded whole."),
      inQuery("from", "Replays that began at this time or later; a week before `to` unless told.", dateTime),
      inQuery("to", "Replays that began before this time; now unless told.", dateTime),
      inQuery("replay", "One replay by its id, whenever it was."),
      csvOrJson,
    ],
  },
  {
    method: "get",
    path: "/api/v1/topics",
    summary: "Topics that a cluster's connectors are known to write, by a part of their names.",
    answer: "Topics",
    errors: [400, 404, 503],
    parameters: [inQuery("cluster", "The cluster's name."), inQuery("q", "What the name holds.")],
  },
  {
    method: "get",
    path: "/api/v1/measurements",
    summary: "Measurements of duplicates that people asked for, newest first, and where one can be made.",
    answer: "Measurements",
    errors: [503],
  },
  {
    method: "post",
    path: "/api/v1/measurements",
    summary:
      "Asks for a measurement of any topic; the collector makes it. One that waits or runs already is given back.",
    answer: "Measurement",
    request: "MeasureRequest",
    errors: [400, 403, 404, 413, 415, 429, 503],
  },
  {
    method: "get",
    path: "/api/v1/measurements/{id}",
    summary: "How far a measurement is, and what it found.",
    answer: "Measurement",
    csv: true,
    errors: [400, 404, 503],
    parameters: [inPath("id", "As POST /api/v1/measurements gave it."), csvOrJson],
  },
  {
    method: "post",
    path: "/api/v1/measurements/{id}/cancel",
    summary: "Ends a measurement that waits or runs; one that has ended stays as it is.",
    answer: "Measurement",
    errors: [403, 404, 413, 415, 503],
    parameters: [inPath("id", "As POST /api/v1/measurements gave it.")],
  },
  {
    method: "get",
    path: "/api/v1/schema-history",
    summary: "Every schema history, worst first.",
    answer: "SchemaHistory",
    errors: [503],
  },
  {
    method: "get",
    path: "/api/v1/status",
    summary: "Tidemark itself: clusters reached, loops, permissions missing, database, processes.",
    answer: "Status",
    errors: [503],
  },
  {
    method: "get",
    path: "/api/v1/findings",
    summary: "Findings with evidence and remedy, worst first.",
    answer: "Findings",
    errors: [400, 503],
    parameters: [
      inQuery("state", "Open ones, or the newest 500 closed ones.", {
        type: "string",
        enum: ["open", "recently-closed"],
        default: "open",
      }),
      inQuery("cluster", "Only those of this cluster."),
      inQuery("connector", "Only those of this connector."),
    ],
  },
  {
    method: "post",
    path: "/api/v1/decode",
    summary: "Explains source offsets and records of topics. Needs no database and keeps nothing.",
    answer: "DecodeAnswer",
    request: "DecodeRequest",
    errors: [400, 413, 422],
  },
  { method: "get", path: "/api/v1/openapi.json", summary: "This document.", answer: null, errors: [] },
];

function json(name: SchemaName | null): object {
  const schema = name ? { $ref: `#/components/schemas/${name}` } : { type: "object" };
  return { "application/json": { schema } };
}

const csvContent = { "text/csv": { schema: { type: "string" } } };

const errorWords: Readonly<Record<number, string>> = {
  400: "The request is not understood.",
  403: "It was sent by a page of another origin.",
  404: "There is no such thing.",
  413: "The body is too large.",
  415: "The body is not declared as application/json.",
  422: "Neither an offset nor a record can be read from the text.",
  429: "Too many measurements wait already.",
  503: "Tidemark's database is away.",
};

function operationObject(operation: Operation): object {
  const errors = operation.errors.map((status) => [
    String(status),
    { description: errorWords[status] ?? "Error", content: json("Error") },
  ]);
  return {
    summary: operation.summary,
    ...(operation.parameters ? { parameters: operation.parameters } : {}),
    ...(operation.request ? { requestBody: { required: true, content: json(operation.request) } } : {}),
    responses: {
      "200": {
        description: "The answer.",
        content: { ...json(operation.answer), ...(operation.csv ? csvContent : {}) },
      },
      ...Object.fromEntries(errors),
    },
  };
}

export interface OpenApiDocument {
  openapi: string;
  info: object;
  paths: Record<string, Record<string, object>>;
  components: { schemas: Record<string, object> };
}

function schemaObject(name: SchemaName): object {
  const { $schema: _, ...schema } = z.toJSONSchema(schemas[name], {
    io: name === "DecodeRequest" || name === "MeasureRequest" ? "input" : "output",
  });
  return schema;
}

function pathItems(): OpenApiDocument["paths"] {
  const items: OpenApiDocument["paths"] = {};
  for (const operation of operations)
    items[operation.path] = { ...items[operation.path], [operation.method]: operationObject(operation) };
  return items;
}

/** The OpenAPI 3.1 document of /api/v1, made from the schemas that check its answers. */
export function openApiDocument(): OpenApiDocument {
  const names = Object.keys(schemas) as SchemaName[];
  return {
    openapi: "3.1.0",
    info: {
      title: "Tidemark",
      version: "1",
      description:
        "Delivery health of Debezium change data. Times are ISO 8601 in UTC; 64-bit numbers are strings.",
    },
    paths: pathItems(),
    components: { schemas: Object.fromEntries(names.map((name) => [name, schemaObject(name)])) },
  };
}
