import type { z } from "zod";
import { nearest } from "./nearest";
import { isMapAt, keysAt, rightAt } from "./schema-walk";
import { isMap, type SettingPath, valueAt } from "./setting-path";
import type { Settings } from "./settings";
import type { SettingsFault } from "./settings-error";

export interface FaultContext {
  place(path: SettingPath): string;
  /** Whether the value came from a secret's place and must not be repeated. */
  hidden(path: SettingPath): boolean;
  /** Whether a fault at this path has been told already. */
  told(path: SettingPath): boolean;
}

interface Issue {
  path: SettingPath;
  issue: z.core.$ZodIssue;
}

/** Checks a value against the schema; every issue becomes a fault with its place and what would be right. */
export function schemaFaults(
  schema: z.ZodType<Settings>,
  value: unknown,
  context: FaultContext,
): { settings: Settings | null; faults: SettingsFault[] } {
  const result = schema.safeParse(value);
  if (result.success) return { settings: result.data, faults: [] };
  const faults = result.error.issues
    .flatMap((issue) => withoutUnions(issue, []))
    .flatMap((issue) => faultsOf(issue, schema, value, context));
  return { settings: null, faults };
}

/** Of a choice that failed: the issues of the map if a map was given, otherwise the choice itself. */
function withoutUnions(issue: z.core.$ZodIssue, above: SettingPath): Issue[] {
  const path = [...above, ...(issue.path as (string | number)[])];
  if (issue.code !== "invalid_union") return [{ path, issue }];
  const isPlain = (one: z.core.$ZodIssue) => one.code === "invalid_type" && one.path.length === 0;
  const branch = issue.errors.find((issues) => !issues.some(isPlain));
  return branch ? branch.flatMap((one) => withoutUnions(one, path)) : [{ path, issue }];
}

function faultsOf(
  { path, issue }: Issue,
  schema: z.ZodType<Settings>,
  root: unknown,
  context: FaultContext,
): SettingsFault[] {
  if (issue.code === "unrecognized_keys") {
    const known = keysAt(schema, path);
    return issue.keys.map((key) => {
      const meant = nearest(key, known);
      return {
        place: context.place([...path, key]),
        problem: `there is no such setting${meant ? `; did you mean ${meant}?` : ""}`,
        right: meant ? null : `one of ${known.join(", ")}`,
      };
    });
  }
  if (context.told(path)) return [];
  const value = valueAt(root, path);
  const problem = problemOf(issue, value, isMapAt(schema, path) ? null : shown(value, path, context));
  return [{ place: context.place(path), problem, right: rightOf(issue, value) ?? rightAt(schema, path) }];
}

function problemOf(issue: z.core.$ZodIssue, value: unknown, show: string | null): string {
  if (value === undefined) return issue.code === "custom" ? issue.message : "is missing";
  if (value === null) return "is empty";
  if (issue.code === "custom") return issue.message;
  if (issue.code === "too_small" && issue.origin !== "number") return "is empty";
  const kind = kindOf(value, show);
  if (issue.code === "too_small") return `is ${kind}, which is too small`;
  if (issue.code === "too_big") return `is ${kind}, which is too large`;
  return `is ${kind}`;
}

function kindOf(value: unknown, show: string | null): string {
  if (Array.isArray(value)) return "a list";
  if (isMap(value)) return "a map";
  if (typeof value === "number") return show ? `the number ${show}` : "a number";
  if (typeof value === "boolean") return show ?? "true or false";
  return show ? (typeof value === "string" ? `the text ${show}` : show) : "a text that does not fit";
}

function rightOf(issue: z.core.$ZodIssue, value: unknown): string | null {
  const quotes = issue.code === "invalid_type" && issue.expected === "string";
  if (quotes && (typeof value === "number" || typeof value === "boolean")) return "the same in quotes";
  return null;
}

/** The value for a fault; null when it is, or could hold, a secret. */
function shown(value: unknown, path: SettingPath, context: FaultContext): string | null {
  if (/password|databaseUrl/i.test(String(path.at(-1))) || context.hidden(path)) return null;
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  if (typeof value !== "string" || /[@?#]/.test(value)) return null;
  return JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value);
}
