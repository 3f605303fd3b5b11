import { z } from "zod";
import { brokerFault, httpUrlFault, postgresUrlFault } from "./addresses";

/*
 * `.describe()` on a setting says what would be right. It ends the sentence of a fault ("… : use a whole number").
 * Text is taken where a number or a boolean is meant, because the environment and ${…} references know only text.
 */

const text = (right: string) => z.string().min(1).describe(right);

function checked(fault: (value: string) => string | null, right: string) {
  return z
    .string()
    .superRefine((value, context) => {
      const message = fault(value);
      if (message) context.addIssue({ code: "custom", message });
    })
    .describe(right);
}

const numberFromText = (value: unknown) =>
  typeof value === "string" && /^\d+(\.\d+)?$/.test(value) ? Number(value) : value;
const booleanFromText = (value: unknown) =>
  value === "true" || value === "false" ? value === "true" : value;

const tlsSchema = z
  .strictObject({
    /** PEM file of the authority that signed the server's certificate; absent: those that Node.js knows. */
    ca: text("the path of a PEM file").optional(),
    /** PEM files for mutual TLS. */
    cert: text("the path of a PEM file").optional(),
    key: text("the path of a PEM file").optional(),
    rejectUnauthorized: z
      .preprocess(booleanFromText, z.boolean())
      .default(true)
      .describe("true, or false to accept any certificate"),
  })
  .superRefine((tls, context) => {
    if ((tls.cert === undefined) === (tls.key === undefined)) return;
    const absent = tls.cert === undefined ? "cert" : "key";
    context.addIssue({
      code: "custom",
      path: [absent],
      message: "is missing: mutual TLS takes cert and key together",
    });
  })
  .describe("a map of ca, cert, key and rejectUnauthorized");

const saslSchema = z
  .strictObject({
    mechanism: z
      .preprocess(
        (value) => (typeof value === "string" ? value.toLowerCase() : value),
        z.enum(["plain", "scram-sha-256", "scram-sha-512"]),
      )
      .describe("plain, scram-sha-256 or scram-sha-512"),
    username: text("the name to log in with"),
    password: text("the password, better as a reference to the environment or a file"),
  })
  .describe("a map of mechanism, username and password");

const basicAuthSchema = z
  .strictObject({
    username: text("the name to log in with"),
    password: text("the password, better as a reference to the environment or a file"),
  })
  .describe("a map of username and password");

/** An http or https address without credentials, query or fragment; a path prefix is kept. */
const httpUrlSchema = checked(httpUrlFault, "an address such as http://connect-1:8083");

const connectSchema = z
  .strictObject({
    /** Workers of one Connect cluster; tried in order, the one that answered last first. */
    urls: z.array(httpUrlSchema).min(1).describe("a list of addresses such as [http://connect-1:8083]"),
    basicAuth: basicAuthSchema.optional(),
    tls: tlsSchema.optional(),
  })
  .describe("a map with urls, a list of addresses such as [http://connect-1:8083]");

const kafkaSchema = z
  .strictObject({
    brokers: z
      .array(checked(brokerFault, "host:port, such as broker-1:9092"))
      .min(1)
      .describe("a list of host:port, such as [broker-1:9092, broker-2:9092]"),
    tls: z
      .preprocess(booleanFromText, z.union([z.boolean(), tlsSchema]))
      .default(false)
      .describe("true, false, or a map of ca, cert, key and rejectUnauthorized"),
    sasl: saslSchema.optional(),
  })
  .describe("a map with brokers, a list of host:port such as [broker-1:9092]");

/** A limit from 0 on, in whole units unless parts make sense; null, as 0, for none. */
const limit = (right: string, number = z.number().int()) =>
  z
    .preprocess(numberFromText, number.min(0).max(Number.MAX_SAFE_INTEGER).nullable())
    .describe(`${right}, or 0 for no limit`);

const replayLimits = {
  events: limit("a whole number of events"),
  bytes: limit("a whole number of bytes"),
  seconds: limit("a number of seconds", z.number()),
};

/** How large a replay window may be, where it differs from what holds above it. */
const replayLimitsSchema = z
  .strictObject({
    events: replayLimits.events.optional(),
    bytes: replayLimits.bytes.optional(),
    seconds: replayLimits.seconds.optional(),
  })
  .describe("a map of events, bytes and seconds");

const clusterSchema = z
  .strictObject({
    name: z
      .string()
      .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/)
      .describe("up to 63 letters, digits, dots, dashes or underscores, the first a letter or digit"),
    connect: connectSchema,
    kafka: kafkaSchema.optional(),
    schemaRegistry: z
      .strictObject({ url: httpUrlSchema, basicAuth: basicAuthSchema.optional() })
      .optional()
      .describe("a map with url, an address such as http://registry:8081"),
    /** Connect's offset.storage.topic, not visible over REST. */
    offsetTopic: text("the name of Connect's offset.storage.topic").optional(),
    /** Connect's group.id, not visible over REST. */
    groupId: text("Connect's group.id").optional(),
    /** Limits of replay windows in this cluster; absent ones are those of `checks.replay`. */
    replay: replayLimitsSchema.optional(),
    /** By the connector's name; absent limits are those of the cluster. */
    connectors: z
      .record(
        z.string().min(1),
        z.strictObject({ replay: replayLimitsSchema.optional() }).describe("a map with replay"),
      )
      .optional()
      .describe("a map from names of connectors to maps with replay"),
  })
  .describe("a map with name, connect and kafka");
export type ClusterSettings = z.infer<typeof clusterSchema>;

const seconds = (standard: number) =>
  z
    .preprocess(numberFromText, z.number().min(0.1).max(86_400))
    .default(standard)
    .describe("a number of seconds from 0.1 to 86400");

const bytes = (least: number) =>
  z
    .preprocess(numberFromText, z.number().int().min(least).max(Number.MAX_SAFE_INTEGER))
    .describe(`a whole number of bytes from ${least}`);

/** Every setting there is. docs/tidemark.reference.yaml names each; a test keeps it complete. */
export const settingsSchema = z.strictObject({
  listen: z
    .strictObject({
      host: text("a host name or address to listen on, such as 127.0.0.1").default("127.0.0.1"),
      port: z
        .preprocess(numberFromText, z.number().int().min(1).max(65_535))
        .default(3000)
        .describe("a whole number from 1 to 65535"),
    })
    .prefault({})
    .describe("a map of host and port"),
  /** Where the embedded database and other files of Tidemark's own live. */
  dataDir: text("the path of a folder").default("data"),
  /** PostgreSQL to use; absent: an embedded one in dataDir. */
  databaseUrl: checked(
    postgresUrlFault,
    "an address such as postgresql://user:password@host:5432/tidemark",
  ).optional(),
  /** How often each loop looks, in seconds. */
  poll: z
    .strictObject({
      connectors: seconds(5),
      offsets: seconds(5),
      topics: seconds(30),
      schemaHistory: seconds(15),
      replayWindow: seconds(5),
      duplicates: seconds(10),
    })
    .prefault({})
    .describe("a map of intervals in seconds"),
  /** Limits of checks; in seconds, but for events, bytes and the rate of duplicates. */
  checks: z
    .strictObject({
      taskUnassigned: seconds(300),
      silent: seconds(3600),
      rebalance: seconds(120),
      replay: z
        .strictObject({
          events: replayLimits.events.default(10_000),
          bytes: replayLimits.bytes.default(268_435_456),
          seconds: replayLimits.seconds.default(300),
        })
        .prefault({})
        .describe("a map of events, bytes and seconds"),
      duplicates: z
        .strictObject({
          /** Of the changes of 24 hours. */
          rate: limit("a share from 0 to 1, such as 0.01 for 1 %", z.number().max(1)).default(0.01),
          /** Bytes that one look reads at most of a cluster's topics; what it leaves is read by the next ones. */
          bytesPerLook: bytes(65_536).default(67_108_864),
        })
        .prefault({})
        .describe("a map of rate and bytesPerLook"),
    })
    .prefault({})
    .describe("a map of limits"),
  /** Reading whole topics as they grow, to measure by sampling what bisection cannot see. */
  scan: z
    .strictObject({
      enabled: z.preprocess(booleanFromText, z.boolean()).default(false).describe("true or false"),
      /** Bytes that one collector reads a second at most. */
      maxBytesPerSecond: bytes(1_024).default(1_048_576),
      /** Topics that grow faster are left out. */
      topicBytesPerSecond: bytes(1).default(10_485_760),
    })
    .prefault({})
    .describe("a map of enabled, maxBytesPerSecond and topicBytesPerSecond"),
  /** None is allowed: the pages then say how to name one, and `decode` works. */
  clusters: z.array(clusterSchema).default([]).describe("a list of clusters"),
});
export type Settings = z.infer<typeof settingsSchema>;
