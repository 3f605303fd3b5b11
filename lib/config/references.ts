import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { isMap, pathText, type SettingPath } from "./setting-path";
import { errorCode } from "./settings-file";

type Environment = Readonly<Record<string, string | undefined>>;

/** What became of the references in a file. */
export interface Resolved {
  value: unknown;
  /** Paths of values that came from elsewhere: never repeat these in a fault. */
  hidden: Set<string>;
  faults: { path: SettingPath; problem: string; right: string | null }[];
}

const MAX_BYTES = 65_536;

/**
 * Replaces `${env:NAME}` and `${file:/path}` in every text of the settings, as Kafka's own configuration providers do.
 * `$${` stands for a literal `${`.
 */
export function resolveReferences(root: unknown, env: Environment): Resolved {
  const resolved: Resolved = { value: null, hidden: new Set(), faults: [] };
  resolved.value = resolveAt(root, [], env, resolved);
  return resolved;
}

function resolveAt(value: unknown, path: SettingPath, env: Environment, into: Resolved): unknown {
  if (Array.isArray(value)) return value.map((item, i) => resolveAt(item, [...path, i], env, into));
  if (isMap(value))
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key, resolveAt(item, [...path, key], env, into)]),
    );
  if (typeof value !== "string" || !value.includes("${")) return value;
  into.hidden.add(pathText(path));
  return value.replace(/\$\$\{|\$\{([^}]*)\}?/g, (all, reference: string | undefined) => {
    if (reference === undefined) return "${";
    const found = lookUp(reference, env);
    if (found.text !== undefined) return found.text;
    into.faults.push({ path, ...found });
    return all;
  });
}

type Found = { text: string } | { text?: undefined; problem: string; right: string | null };

function lookUp(reference: string, env: Environment): Found {
  if (reference.startsWith("env:")) {
    const name = reference.slice(4);
    const text = env[name];
    if (text) return { text };
    return { problem: `refers to the environment variable ${name}, which is not set`, right: null };
  }
  if (reference.startsWith("file:")) return readSecretFile(reference.slice(5));
  return {
    problem: `has a \${…} that is no reference`,
    right: `\${env:NAME} or \${file:/path}; a literal \${ is written $\${`,
  };
}

/** A secret from a regular file of at most 64 kB, its last line end taken off. */
export function readSecretFile(path: string): Found {
  const fault = (why: string): Found => ({
    problem: `refers to the file ${path}, which ${why}`,
    right: null,
  });
  try {
    const bytes = readRegularFile(path);
    if (bytes === null) return fault("is no regular file");
    if (bytes.length > MAX_BYTES) return fault("is larger than 64 kB");
    const text = bytes.toString("utf8").replace(/\r?\n$/, "");
    return text ? { text } : fault("is empty");
  } catch (error) {
    return fault(`cannot be read (${errorCode(error)})`);
  }
}

/** Up to one byte more than is allowed; null for a device, a FIFO and the like, which may never end. */
function readRegularFile(path: string): Buffer | null {
  // Opening a FIFO waits for a writer unless told not to.
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stat = fstatSync(file);
    if (stat.isDirectory()) throw Object.assign(new Error("a folder"), { code: "EISDIR" });
    if (!stat.isFile()) return null;
    const buffer = Buffer.alloc(MAX_BYTES + 1);
    let length = 0;
    for (let read = 1; read > 0 && length < buffer.length; length += read)
      read = readSync(file, buffer, length, buffer.length - length, null);
    return buffer.subarray(0, length);
  } finally {
    closeSync(file);
  }
}
