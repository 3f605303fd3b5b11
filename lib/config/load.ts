import { accessSync, constants, existsSync } from "node:fs";
import { resolve } from "node:path";
import { applyEnvironment } from "./apply-environment";
import { resolveReferences } from "./references";
import { schemaFaults } from "./schema-faults";
import { isMap, pathText, type SettingPath, valueAt } from "./setting-path";
import { type Settings, settingsSchema } from "./settings";
import { SettingsError, type SettingsFault } from "./settings-error";
import { errorCode, readSettingsFile, type SettingsFile } from "./settings-file";

export interface LoadOptions {
  /** From `--config`; otherwise TIDEMARK_CONFIG, otherwise tidemark.yaml in the folder, if there is one. Null: no file. */
  file?: string | null | undefined;
  env: Readonly<Record<string, string | undefined>>;
  /** The folder that relative paths start from; by default the working directory. */
  folder?: string;
}

export interface Loaded {
  settings: Settings;
  /** The file that was read; null when there was none. */
  file: string | null;
}

/**
 * Reads the settings: defaults, over them the file, over it the environment.
 * @throws SettingsError with every fault at once; no fault repeats a secret.
 */
export function loadSettings({ file, env, folder = process.cwd() }: LoadOptions): Loaded {
  const path = file === null ? null : settingsPath(file ?? (env.TIDEMARK_CONFIG || undefined), folder);
  const read: SettingsFile = path ? readSettingsFile(path) : { value: {}, faults: [], place: pathText };
  const references = resolveReferences(read.value, env);
  const overlaid = applyEnvironment(isMap(references.value) ? references.value : {}, env);
  const { variableAt } = overlaid;
  const place = (at: SettingPath) => {
    const variable = variableAt(at);
    return variable ? `environment variable ${variable}${entry(at)}` : read.place(at);
  };

  const brokenReferences = new Set(references.faults.map((fault) => pathText(fault.path)));
  const result = schemaFaults(settingsSchema, overlaid.value, {
    place,
    hidden: (at) => variableAt(at)?.endsWith("_FILE") === true || references.hidden.has(pathText(at)),
    // What was told once is not told again; of a broken file nothing is known.
    told: (at) => {
      const variable = variableAt(at);
      if (variable) return overlaid.unread.has(variable);
      return read.faults.length > 0 || brokenReferences.has(pathText(at));
    },
  });
  const faults: SettingsFault[] = [
    ...read.faults,
    ...references.faults.map(({ path: at, problem, right }) => ({ place: read.place(at), problem, right })),
    ...overlaid.faults,
    ...result.faults,
    ...sameNames(overlaid.value, place),
    ...unreadableTlsFiles(overlaid.value, folder, place),
  ];
  if (faults.length > 0 || !result.settings) throw new SettingsError(faults);
  return { settings: result.settings, file: path };
}

function settingsPath(named: string | undefined, folder: string): string | null {
  if (named) return resolve(folder, named);
  const usual = resolve(folder, "tidemark.yaml");
  return existsSync(usual) ? usual : null;
}

/** Of a comma list: which entry. */
function entry(path: SettingPath): string {
  const last = path.at(-1);
  return typeof last === "number" && path.length > 2 ? `, entry ${last + 1}` : "";
}

function clustersOf(value: unknown): unknown[] {
  const clusters = valueAt(value, ["clusters"]);
  return Array.isArray(clusters) ? clusters : [];
}

function sameNames(value: unknown, place: (path: SettingPath) => string): SettingsFault[] {
  const first = new Map<unknown, number>();
  return clustersOf(value).flatMap((cluster, i) => {
    const name = valueAt(cluster, ["name"]);
    if (typeof name !== "string") return [];
    const before = first.get(name);
    if (before === undefined) {
      first.set(name, i);
      return [];
    }
    const problem = `is "${name}", as is clusters[${before}].name`;
    return [{ place: place(["clusters", i, "name"]), problem, right: "a name that no other cluster has" }];
  });
}

const tlsFiles = ["connect", "kafka"].flatMap((part) =>
  ["ca", "cert", "key"].map((key) => [part, "tls", key]),
);

function unreadableTlsFiles(
  value: unknown,
  folder: string,
  place: (path: SettingPath) => string,
): SettingsFault[] {
  return clustersOf(value).flatMap((cluster, i) =>
    tlsFiles.flatMap((inCluster) => {
      const file = valueAt(cluster, inCluster);
      if (typeof file !== "string" || file === "") return [];
      try {
        accessSync(resolve(folder, file), constants.R_OK);
        return [];
      } catch (error) {
        const problem = `names the file ${file}, which cannot be read (${errorCode(error)})`;
        return [{ place: place(["clusters", i, ...inCluster]), problem, right: "the path of a PEM file" }];
      }
    }),
  );
}
