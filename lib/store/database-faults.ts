/** SQLSTATE classes and codes (PostgreSQL manual, appendix A) that mean: no usable connection, ask again later. */
const unreachableStates = /^(08...|28...|3D000|53300|57P0[1-5])$/;
/** Prisma's codes for the same: cannot reach, timed out, denied, closed, no connection free in time. */
const unreachableCodes = /^(P1000|P1001|P1002|P1003|P1008|P1010|P1011|P1017|P2024|P2028|P2037)$/;
const unreachableKinds =
  /^(DatabaseNotReachable|ConnectionClosed|SocketTimeout|TlsConnectionError|TooManyConnections|AuthenticationFailed|DatabaseDoesNotExist|DatabaseAccessDenied)$/;
const unreachableSystem =
  /^(ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN)$/;
const unreachableText =
  /connection terminated|timeout exceeded when trying to connect|query read timeout|not queryable|can't reach database|connection (is )?closed|terminating connection|the database system is/i;

interface Link {
  code: string;
  state: string;
  kind: string;
  message: string;
}

/** An error, what caused it and what its driver said, outermost first. */
function chain(error: unknown): Link[] {
  const links: Link[] = [];
  let at: unknown = error;
  for (let depth = 0; typeof at === "object" && at !== null && depth < 8; depth++) {
    const { code, kind, originalCode, message, originalMessage } = at as Record<string, unknown>;
    const text = (value: unknown) => (typeof value === "string" ? value : "");
    links.push({
      code: text(code),
      kind: text(kind),
      state: text(originalCode) || text(code),
      message: text(originalMessage) || text(message),
    });
    const { cause, meta } = at as { cause?: unknown; meta?: { driverAdapterError?: unknown } };
    at = cause ?? meta?.driverAdapterError;
  }
  return links;
}

/** Whether an error of Prisma or its driver says that the database could not be asked, and not that the question was wrong. */
export function isConnectionFault(error: unknown): boolean {
  return chain(error).some(
    ({ code, kind, state, message }) =>
      unreachableCodes.test(code) ||
      unreachableSystem.test(code) ||
      unreachableKinds.test(kind) ||
      unreachableStates.test(state) ||
      unreachableText.test(message),
  );
}

/** Whether a transaction was undone because of another one (deadlock, serialisation), and may simply be run again. */
export function isLostRace(error: unknown): boolean {
  return chain(error).some(
    ({ code, kind, state }) =>
      code === "P2034" || kind === "TransactionWriteConflict" || /^40(001|P01)$/.test(state),
  );
}

/** Whether another session held a lock for longer than `lock_timeout`. */
export function isLockTimeout(error: unknown): boolean {
  return chain(error).some(({ state }) => state === "55P03");
}

/**
 * Whether a row was on its way into the default partition when its own partition was attached. PostgreSQL then refuses it, and takes
 * it when it is written again.
 */
export function isLostPartition(error: unknown): boolean {
  return chain(error).some(({ state, message }) => state === "23514" && /partition constraint/.test(message));
}

/** The innermost cause as half a sentence, without addresses or credentials that a page should not show. */
export function shortCause(error: unknown): string {
  const links = chain(error);
  const refused = links.some(({ code, kind, message }) =>
    /ECONNREFUSED|DatabaseNotReachable|P1001/.test(`${code} ${kind} ${message}`),
  );
  if (refused) return "nothing listens at its address";
  const denied = links.some(({ code, kind, state }) =>
    /^28|P1000|P1010|AuthenticationFailed|AccessDenied/.test(`${state || code || kind}`),
  );
  if (denied) return "it refused the user or the password";
  const missing = links.some(({ kind, state }) => kind === "DatabaseDoesNotExist" || state === "3D000");
  if (missing) return "it has no database of that name";
  const starting = links.some(({ state, message }) => state === "57P03" || /starting up/.test(message));
  if (starting) return "it is starting up";
  const slow = links.some(({ message }) => /timeout/i.test(message));
  return slow ? "it did not answer in time" : "the connection was lost";
}
