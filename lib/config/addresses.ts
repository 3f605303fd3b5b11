/** What is wrong with an http address of a service; null when nothing is. Never repeats the address: it may hold a secret. */
export function httpUrlFault(value: string): string | null {
  const url = parseUrl(value);
  if (!url) return "is not an address";
  if (url.protocol !== "http:" && url.protocol !== "https:") return "does not begin with http:// or https://";
  if (url.username || url.password)
    return "holds a user name or password: they belong into basicAuth (username, password), not into the address";
  if (url.search || url.hash) return "has a query or fragment, which is not part of a service's address";
  return null;
}

/** What is wrong with the address of a broker; null when nothing is. */
export function brokerFault(value: string): string | null {
  if (value.includes("@"))
    return "holds a user name or password: they belong into kafka.sasl (username, password), not into the address";
  if (value.includes("://"))
    return "has a scheme: a broker is host:port only; TLS and SASL have settings of their own";
  const parts = /^(?:[^\s:/[\]]+|\[[0-9a-fA-F:]+\]):(\d{1,5})$/.exec(value);
  if (!parts) return "is not host:port";
  const port = Number(parts[1]);
  return port >= 1 && port <= 65_535 ? null : "has a port that is not between 1 and 65535";
}

/** What is wrong with the address of our own database, which may hold credentials; null when nothing is. */
export function postgresUrlFault(value: string): string | null {
  const url = parseUrl(value);
  if (!url) return "is not an address (special characters in the password must be percent-encoded)";
  return url.protocol === "postgres:" || url.protocol === "postgresql:"
    ? null
    : "does not begin with postgresql://: Tidemark stores only in PostgreSQL";
}

function parseUrl(value: string): URL | null {
  return URL.canParse(value) ? new URL(value) : null;
}
