/** What a stack trace comes down to. */
export interface RootCause {
  /** The deepest message, without class names: `replication slot "shop" is active for PID 4411`. */
  headline: string;
  /** The class of that exception; null when the text is no Java trace. */
  exceptionClass: string | null;
  /** What it means, where the text is known; null elsewhere. */
  hint: string | null;
}

interface Cause {
  exceptionClass: string | null;
  message: string;
}

const frame = /^\s*(at\s|\.\.\. \d+ (more|common frames))/;
// The last part begins with a capital, which tells a class from a host or a table.
const classAndMessage = /^((?:[\p{L}_$][\p{L}\p{N}_$]*\.)+\p{Lu}[\p{L}\p{N}_$]*)(?:: ?|$)/u;

/** The exceptions of a trace, outermost first. Suppressed ones are indented and left out. */
function causes(trace: string): Cause[] {
  const blocks: string[][] = [];
  let inMessage = false;
  for (const line of trace.split(/\r?\n/)) {
    if (blocks.length === 0 || line.startsWith("Caused by: ")) {
      blocks.push([line.replace(/^Caused by: /, "")]);
      inMessage = true;
    } else if (frame.test(line) || /^\s+(Suppressed|Caused by): /.test(line)) inMessage = false;
    else if (inMessage) blocks.at(-1)?.push(line);
  }
  return blocks.map((lines) => readCause(lines.join("\n")));
}

/** Takes `class: message` apart. A message that is another exception's text loses that one's class too. */
function readCause(text: string): Cause {
  let message = text.trim();
  let exceptionClass: string | null = null;
  for (let match = classAndMessage.exec(message); match?.[1]; match = classAndMessage.exec(message)) {
    exceptionClass = match[1];
    message = message.slice(match[0].length).trim();
  }
  return { exceptionClass, message };
}

/** The first line of a message, without the server's severity and without the dump of an offset context. */
function headlineOf(message: string): string {
  const line = message.split("\n")[0]?.trim() ?? "";
  return line.replace(/^(ERROR|FATAL|PANIC): +/, "").replace(/\w+OffsetContext \[.*\](?=, but)/, (dump) => {
    const lsn = /\blsn=LSN\{([0-9A-F/]+)\}/.exec(dump)?.[1];
    return lsn ? `LSN ${lsn}` : "the stored offset";
  });
}

const hints: readonly (readonly [RegExp, string])[] = [
  [/replication slot .* is active for PID/i, "another session holds the slot"],
  [
    /replication slot .* does not exist/i,
    "the replication slot is gone: changes made since then can only be had by a new snapshot",
  ],
  [
    /db history topic .*missing|schema history .*(missing|couldn't be recovered)/i,
    "the schema history is gone: snapshot.mode=recovery builds it again if no captured table was altered since the stored offset",
  ],
  [
    /schema isn't known to this connector/i,
    "the schema history lacks this table: snapshot.mode=recovery builds it again if no captured table was altered since the stored offset",
  ],
  [
    /error code: 1236|binary log .*purged|binary log files have been purged|could not find .*(binary log|binlog)|could not find GTID state/i,
    "the source has purged the binlog at the stored position: changes are lost, a new snapshot is needed",
  ],
  [
    /no longer available on the server|requested WAL segment .* removed|can no longer get changes from replication slot/i,
    "the source no longer has the log at the stored position, or the replication slot is gone: a new snapshot is needed",
  ],
  [/publication .* does not exist/i, "the publication is missing in the source database"],
  [
    /password authentication failed|access denied for user|authentication failed|login failed for user/i,
    "the source or the broker refused the login: check user and password",
  ],
  [/no pg_hba\.conf entry/i, "pg_hba.conf on the source does not let this user in from the worker's address"],
  [/connection refused|unknownhost|no route to host/i, "the worker cannot reach the address"],
];

/** The root cause of a Java stack trace: the deepest exception that has a message. An empty trace gives an empty headline. */
export function rootCause(trace: string): RootCause {
  const all = causes(trace);
  const deepest = all.findLast((cause) => cause.message !== "") ?? all.at(-1);
  const messages = all.map((cause) => cause.message).join("\n");
  return {
    headline: headlineOf(deepest?.message ?? "") || (deepest?.exceptionClass ?? ""),
    exceptionClass: deepest?.exceptionClass ?? null,
    hint: hints.find(([pattern]) => pattern.test(messages))?.[1] ?? null,
  };
}
