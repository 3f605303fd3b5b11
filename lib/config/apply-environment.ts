import { type EnvironmentSetting, environmentSettings } from "./environment";
import { readSecretFile } from "./references";
import { isMap, pathText, type SettingPath } from "./setting-path";
import type { SettingsFault } from "./settings-error";

type Environment = Readonly<Record<string, string | undefined>>;

interface Given {
  setting: EnvironmentSetting;
  /** The variable that was set: `KAFKA_SASL_PASSWORD` or `KAFKA_SASL_PASSWORD_FILE`. */
  variable: string;
  text: string;
}

/** The settings with the environment laid over them, and which variable each value is from. */
export interface Overlaid {
  value: Record<string, unknown>;
  faults: SettingsFault[];
  /** Variables that name a file that could not be read: their faults are told. */
  unread: ReadonlySet<string>;
  /**
   * The variable that gave the value at a path, or null.
   * Of an absent one in a map that the environment began: the variable that is missing.
   */
  variableAt(path: SettingPath): string | null;
}

/** Lays the environment over the settings of the file: a variable wins. Does not change `file`. */
export function applyEnvironment(file: Record<string, unknown>, env: Environment): Overlaid {
  const value = structuredClone(file);
  const faults: SettingsFault[] = [];
  const unread = new Set<string>();
  const given = environmentSettings.flatMap((setting) => readVariable(setting, env, faults, unread));
  const from = new Map<string, string>();
  const begun = new Set<string>();

  const base = clusterBase(value, given, faults, begun);
  for (const one of given) {
    const path = one.setting.cluster ? base && [...base, ...one.setting.path] : one.setting.path;
    if (!path) continue;
    if (put(value, path, parsed(one), begun)) from.set(pathText(path), one.variable);
    else
      faults.push({
        place: `environment variable ${one.variable}`,
        problem: `is given, but ${pathText(path.slice(0, -1))} is not a map`,
        right: null,
      });
  }
  if (base && begun.has(pathText(base)) && !given.some((one) => one.setting.name === "CLUSTER_NAME"))
    put(value, [...base, "name"], "default", begun);
  return { value, faults, unread, variableAt: (path) => variableAt(path, from, begun, base) };
}

/** Where the one cluster is that the environment can mean; null when there is none to set. */
function clusterBase(
  value: Record<string, unknown>,
  given: readonly Given[],
  faults: SettingsFault[],
  begun: Set<string>,
): SettingPath | null {
  const ofCluster = given.filter((one) => one.setting.cluster);
  if (ofCluster.length === 0) return null;
  const clusters = value.clusters ?? [];
  if (!Array.isArray(clusters)) return null; // The schema says so better.
  if (clusters.length > 1) {
    for (const { variable } of ofCluster)
      faults.push({
        place: `environment variable ${variable}`,
        problem: `is set, but the file names ${clusters.length} clusters, so it is not clear which one is meant`,
        right: `\${env:${variable.replace(/_FILE$/, "")}} in the file, at the cluster that is meant`,
      });
    return null;
  }
  if (clusters.length === 0) {
    value.clusters = [{}];
    begun.add("clusters[0]");
  }
  return ["clusters", 0];
}

function readVariable(
  setting: EnvironmentSetting,
  env: Environment,
  faults: SettingsFault[],
  unread: Set<string>,
): Given[] {
  const text = env[setting.name];
  const fileVariable = `${setting.name}_FILE`;
  const path = setting.file ? env[fileVariable] : undefined;
  if (text && path) {
    faults.push({
      place: `environment variables ${setting.name} and ${fileVariable}`,
      problem: "are both set",
      right: "one of the two",
    });
    return [];
  }
  if (text) return [{ setting, variable: setting.name, text }];
  if (!path) return [];
  const read = readSecretFile(path);
  if (read.text !== undefined) return [{ setting, variable: fileVariable, text: read.text }];
  faults.push({ place: `environment variable ${fileVariable}`, problem: read.problem, right: read.right });
  unread.add(fileVariable);
  // The setting was given: keep it from being called missing too.
  return [{ setting, variable: fileVariable, text: "" }];
}

function parsed({ setting, text }: Given): unknown {
  if (!setting.list) return text;
  return text
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
}

/** False when something on the way is not a map. `kafka.tls: true` counts as a map that is empty. */
function put(root: Record<string, unknown>, path: SettingPath, value: unknown, begun: Set<string>): boolean {
  let at: unknown = root;
  for (const [i, part] of path.slice(0, -1).entries()) {
    if (Array.isArray(at) && typeof part === "number") at = at[part];
    else if (isMap(at)) {
      const next = at[part];
      if (next === undefined || next === null || next === true || next === "true") {
        at[part] = {};
        begun.add(pathText(path.slice(0, i + 1)));
      }
      at = at[part];
    } else return false;
  }
  const last = path.at(-1);
  if (!isMap(at) || last === undefined) return false;
  // KAFKA_TLS=true beside a map of TLS files turns nothing off.
  if (!(value === "true" && isMap(at[last]))) at[last] = value;
  return true;
}

function variableAt(
  path: SettingPath,
  from: ReadonlyMap<string, string>,
  begun: ReadonlySet<string>,
  base: SettingPath | null,
): string | null {
  for (let length = path.length; length > 0; length--) {
    const variable = from.get(pathText(path.slice(0, length)));
    if (variable) return variable;
  }
  if (!base || !begun.has(pathText(path.slice(0, -1)))) return null;
  const inCluster = pathText(path.slice(base.length));
  const missing = environmentSettings.find(
    ({ cluster, path: own }) => cluster && `${pathText(own)}.`.startsWith(`${inCluster}.`),
  );
  return missing?.name ?? null;
}
