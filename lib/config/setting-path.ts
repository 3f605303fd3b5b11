export type SettingPath = readonly (string | number)[];

/** `clusters[0].kafka.brokers[1]`; empty for the root. */
export function pathText(path: SettingPath): string {
  return path
    .map((part, i) => (typeof part === "number" ? `[${part}]` : i === 0 ? part : `.${part}`))
    .join("");
}

export function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The value at a path; undefined when there is none. */
export function valueAt(root: unknown, path: SettingPath): unknown {
  let value = root;
  for (const part of path) {
    if (Array.isArray(value) && typeof part === "number") value = value[part];
    else if (isMap(value) && typeof part === "string" && Object.hasOwn(value, part)) value = value[part];
    else return undefined;
  }
  return value;
}
