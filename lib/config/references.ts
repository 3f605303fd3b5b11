import { readFileSync, statSync } from "node:fs";
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

/** A secret from a file, its last line end taken off. */
export function readSecretFile(path: string): Found {
  try {
    if (statSync(path).size > MAX_BYTES)
      return { problem: `refers to the file ${path}, which is larger than 64 kB`, right: null };
    const text = readFileSync(path, "utf8").replace(/\r?\n$/, "");
    return text ? { text } : { problem: `refers to the file ${path}, which is empty`, right: null };
  } catch (error) {
    return { problem: `refers to the file ${path}, which cannot be read (${errorCode(error)})`, right: null };
  }
}
