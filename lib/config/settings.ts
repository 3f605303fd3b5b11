import { z } from "zod";

const tlsSchema = z.strictObject({
  /** PEM file of the authority that signed the server's certificate; absent: the system's. */
  ca: z.string().optional(),
  /** PEM files for mutual TLS. */
  cert: z.string().optional(),
  key: z.string().optional(),
  rejectUnauthorized: z.boolean().default(true),
});
export type TlsSettings = z.infer<typeof tlsSchema>;

const saslSchema = z.strictObject({
  mechanism: z.enum(["plain", "scram-sha-256", "scram-sha-512"]),
  username: z.string().min(1),
  password: z.string().min(1),
});

const basicAuthSchema = z.strictObject({ username: z.string().min(1), password: z.string() });

/** An http or https address without credentials, query or fragment; a path prefix is kept. */
const httpUrlSchema = z.url({ protocol: /^https?$/ });

export const clusterSchema = z.strictObject({
  name: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/),
  connect: z.strictObject({
    /** Workers of one Connect cluster; tried in order, the one that answered last first. */
    urls: z.array(httpUrlSchema).min(1),
    basicAuth: basicAuthSchema.optional(),
    tls: tlsSchema.optional(),
  }),
  kafka: z
    .strictObject({
      brokers: z.array(z.string().regex(/^[^\s:/]+:\d{1,5}$|^\[[0-9a-fA-F:]+\]:\d{1,5}$/)).min(1),
      tls: z.union([z.boolean(), tlsSchema]).default(false),
      sasl: saslSchema.optional(),
    })
    .optional(),
  schemaRegistry: z.strictObject({ url: httpUrlSchema, basicAuth: basicAuthSchema.optional() }).optional(),
  /** Connect's offset.storage.topic, not visible over REST. */
  offsetTopic: z.string().min(1).optional(),
  /** Connect's group.id, not visible over REST. */
  groupId: z.string().min(1).optional(),
});
export type ClusterSettings = z.infer<typeof clusterSchema>;

const seconds = (standard: number) => z.number().positive().max(86_400).default(standard);

/** Every setting there is. docs/tidemark.reference.yaml names each; a test keeps it complete. */
export const settingsSchema = z.strictObject({
  listen: z
    .strictObject({
      host: z.string().default("127.0.0.1"),
      port: z.number().int().min(1).max(65_535).default(3000),
    })
    .prefault({}),
  /** Where the embedded database and other files of Tidemark's own live. */
  dataDir: z.string().default("data"),
  /** PostgreSQL to use; absent: an embedded one in dataDir. */
  databaseUrl: z.string().optional(),
  /** How often each loop looks, in seconds. */
  poll: z
    .strictObject({
      connectors: seconds(5),
      offsets: seconds(5),
      topics: seconds(30),
      schemaHistory: seconds(15),
    })
    .prefault({}),
  /** Limits of checks, in seconds. */
  checks: z
    .strictObject({
      taskUnassigned: seconds(300),
      silent: seconds(3600),
      rebalance: seconds(120),
    })
    .prefault({}),
  clusters: z.array(clusterSchema),
});
export type Settings = z.infer<typeof settingsSchema>;
