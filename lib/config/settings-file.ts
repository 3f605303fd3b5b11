import { readFileSync, statSync } from "node:fs";
import { basename } from "node:path";
import { type Document, isNode, isMap as isYamlMap, LineCounter, parseDocument } from "yaml";
import { isMap, pathText, type SettingPath } from "./setting-path";
import type { SettingsFault } from "./settings-error";

const MAX_BYTES = 1_000_000;

/** The settings as the file has them, before anything is checked. */
export interface SettingsFile {
  value: Record<string, unknown>;
  faults: SettingsFault[];
  /** Where a setting stands: `tidemark.yaml:12:5 clusters[0].kafka`. Of an absent one: where it would belong. */
  place(path: SettingPath): string;
}

/** Reads a YAML file. Does not throw: what is wrong with it is in `faults`, and `value` is then empty. */
export function readSettingsFile(file: string): SettingsFile {
  const name = basename(file);
  const broken = (faults: SettingsFault[]): SettingsFile => ({
    value: {},
    faults,
    place: (path) => `${name} ${pathText(path)}`.trim(),
  });
  let text: string;
  try {
    const stat = statSync(file);
    if (!stat.isFile() && !stat.isDirectory())
      return broken([{ place: file, problem: "is no regular file", right: "a YAML file of settings" }]);
    if (stat.size > MAX_BYTES)
      return broken([{ place: file, problem: "is larger than 1 MB", right: "a YAML file of settings" }]);
    text = readFileSync(file, "utf8");
  } catch (error) {
    return broken([{ place: file, problem: `cannot be read (${errorCode(error)})`, right: null }]);
  }
  return parseSettings(text, name, broken);
}

function parseSettings(
  text: string,
  name: string,
  broken: (faults: SettingsFault[]) => SettingsFile,
): SettingsFile {
  const lines = new LineCounter();
  let document: Document;
  try {
    document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  } catch {
    return broken([{ place: name, problem: "is nested too deep to be read", right: null }]);
  }
  const spot = (offset: number) => {
    const { line, col } = lines.linePos(offset);
    return `${name}:${line}:${col}`;
  };
  if (document.errors.length > 0)
    return broken(
      document.errors.map((error) => ({
        place: spot(error.pos[0]),
        problem: `is not YAML: ${withoutQuotes(error.message)}`,
        right: null,
      })),
    );
  let value: unknown;
  try {
    value = document.toJS({ maxAliasCount: 100 }) ?? {};
  } catch {
    return broken([{ place: name, problem: "has an alias that cannot be followed", right: null }]);
  }
  if (holdsItself(value))
    return broken([
      { place: name, problem: "has an alias to what it stands in, which never ends", right: null },
    ]);
  if (!isMap(value))
    return broken([
      { place: `${name}:1:1`, problem: "is not a map of settings", right: "lines such as `clusters:`" },
    ]);
  return {
    value,
    faults: [],
    place: (path) => `${spot(offsetOf(document, path))} ${pathText(path)}`.trim(),
  };
}

/** Whether a value stands somewhere inside itself. */
function holdsItself(value: unknown, above: ReadonlySet<unknown> = new Set()): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (above.has(value)) return true;
  const within = new Set(above).add(value);
  return Object.values(value).some((item) => holdsItself(item, within));
}

/** The parser's messages quote the file, which may hold secrets. */
function withoutQuotes(message: string): string {
  return message.replace(/\s*(?:"[\s\S]*"|'[\s\S]*'|`[\s\S]*`)/g, " …").replace(/:[\s\S]*$/, "");
}

/** Where the value at a path begins; of an unknown key: the key; of an absent one: the map it is missing from. */
function offsetOf(document: Document, path: SettingPath): number {
  for (let length = path.length; length > 0; length--) {
    const parent = length === 1 ? document.contents : document.getIn(path.slice(0, length - 1), true);
    if (length === path.length && isYamlMap(parent)) {
      const pair = parent.items.find(
        (item) => isNode(item.key) && String(item.key) === String(path[length - 1]),
      );
      if (pair && isNode(pair.key) && pair.key.range) return pair.key.range[0];
    }
    const node = document.getIn(path.slice(0, length), true);
    if (isNode(node) && node.range) return node.range[0];
  }
  return 0;
}

/** `ENOENT`, `EACCES`, … of a failed file operation, with words for the usual ones. */
export function errorCode(error: unknown): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : "unknown error";
  const words: Record<string, string> = {
    ENOENT: "there is no such file",
    EACCES: "no permission",
    EISDIR: "it is a folder",
  };
  return words[code] ?? code;
}
