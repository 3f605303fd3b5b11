import { z } from "zod";
import { connectorViewSchema } from "./connector";
import { decodeAnswerSchema, decodeRequestSchema } from "./decode-request";
import { errorAnswerSchema } from "./error-answer";
import { findingsViewSchema } from "./findings";
import { fleetViewSchema } from "./fleet";
import { replayHistoryViewSchema } from "./replay-window-schema";
import { schemaHistoryViewSchema } from "./schema-history";
import { statusViewSchema } from "./status";
import { windowRanges } from "./window-range";

/** Every schema of the API by the name that the document gives it. */
const schemas = {
  Fleet: fleetViewSchema,
  Connector: connectorViewSchema,
  ReplayHistory: replayHistoryViewSchema,
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
}

function inPath(name: string, description: string): object {
  return { name, in: "path", required: true, description, schema: { type: "string" } };
}

function inQuery(name: string, description: string, schema: object = { type: "string" }): object {
  return { name, in: "query", required: false, description, schema };
}

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

const errorWords: Readonly<Record<number, string>> = {
  400: "The request is not understood.",
  404: "There is no such thing.",
  413: "The body is too large.",
  422: "Neither an offset nor a record can be read from the text.",
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
      "200": { description: "The answer.", content: json(operation.answer) },
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
    io: name === "DecodeRequest" ? "input" : "output",
  });
  return schema;
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
    paths: Object.fromEntries(operations.map((o) => [o.path, { [o.method]: operationObject(o) }])),
    components: { schemas: Object.fromEntries(names.map((name) => [name, schemaObject(name)])) },
  };
}
