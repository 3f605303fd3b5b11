import type { ClusterSettings, Settings } from "./settings";

const MASK = "***";

/** The settings for logs and the status page: every password replaced, everything else as it is. */
export function masked(settings: Settings): Settings {
  return {
    ...settings,
    ...(settings.databaseUrl === undefined ? {} : { databaseUrl: maskedDatabaseUrl(settings.databaseUrl) }),
    clusters: settings.clusters.map(maskedCluster),
  };
}

function maskedCluster(cluster: ClusterSettings): ClusterSettings {
  const { connect, kafka, schemaRegistry } = cluster;
  return {
    ...cluster,
    connect: withMaskedPassword(connect, "basicAuth"),
    ...(kafka ? { kafka: withMaskedPassword(kafka, "sasl") } : {}),
    ...(schemaRegistry ? { schemaRegistry: withMaskedPassword(schemaRegistry, "basicAuth") } : {}),
  };
}

function withMaskedPassword<K extends string, T extends { [P in K]?: { password: string } | undefined }>(
  part: T,
  key: K,
): T {
  return part[key] === undefined ? part : { ...part, [key]: { ...part[key], password: MASK } };
}

/** Keeps host, port, database and user; PostgreSQL takes a password in the query too. */
function maskedDatabaseUrl(text: string): string {
  if (!URL.canParse(text)) return MASK;
  const url = new URL(text);
  if (url.password) url.password = MASK;
  for (const key of [...url.searchParams.keys()]) if (/pass/i.test(key)) url.searchParams.set(key, MASK);
  return url.toString();
}
