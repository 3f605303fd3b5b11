import { z } from "zod";
import type { SettingPath } from "./setting-path";

/** Stands in a path for the names that a map may have as keys. */
export const anyName = "<name>";

/** One setting as the schema knows it. Below a list the path has `0`, below a map of names {@link anyName}. */
export interface SchemaLeaf {
  path: SettingPath;
  /** The default; undefined when there is none. */
  standard: unknown;
}

interface Unwrapped {
  schema: z.core.$ZodType;
  right: string | null;
  standard: unknown;
}

/** Takes off defaults, optionals and conversions. Of a choice between a plain value and a map, the map is followed. */
function unwrap(schema: z.core.$ZodType): Unwrapped {
  let right: string | null = null;
  let standard: unknown;
  for (let inner = schema; ; ) {
    right ??= (inner instanceof z.ZodType ? inner.description : undefined) ?? null;
    if (inner instanceof z.ZodDefault) {
      standard ??= inner.def.defaultValue;
      inner = inner.def.innerType;
    } else if (inner instanceof z.ZodOptional || inner instanceof z.ZodPrefault) inner = inner.def.innerType;
    else if (inner instanceof z.ZodPipe) inner = inner.def.out;
    else if (inner instanceof z.ZodUnion) {
      inner = inner.options.find((option) => unwrap(option).schema instanceof z.ZodObject) ?? inner;
      if (inner instanceof z.ZodUnion) return { schema: inner, right, standard };
    } else return { schema: inner, right, standard };
  }
}

function schemaAt(root: z.core.$ZodType, path: SettingPath): Unwrapped | null {
  let at = unwrap(root);
  for (const part of path) {
    const element = memberAt(at.schema, part);
    if (!element) return null;
    at = unwrap(element);
  }
  return at;
}

function memberAt(schema: z.core.$ZodType, part: string | number): z.core.$ZodType | undefined {
  if (schema instanceof z.ZodArray) return schema.def.element;
  if (schema instanceof z.ZodRecord) return schema.def.valueType;
  return schema instanceof z.ZodObject ? schema.shape[part] : undefined;
}

/** What would be right at a path, as `.describe()` says it. */
export function rightAt(root: z.core.$ZodType, path: SettingPath): string | null {
  return schemaAt(root, path)?.right ?? null;
}

/** The keys that a map at this path can have. */
export function keysAt(root: z.core.$ZodType, path: SettingPath): string[] {
  const schema = schemaAt(root, path)?.schema;
  return schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
}

/** Whether a map belongs at a path. */
export function isMapAt(root: z.core.$ZodType, path: SettingPath): boolean {
  const schema = schemaAt(root, path)?.schema;
  return schema instanceof z.ZodObject || schema instanceof z.ZodRecord;
}

/** Every setting that is not itself a map or a list of maps, in the schema's order. */
export function schemaLeaves(root: z.core.$ZodType, path: SettingPath = []): SchemaLeaf[] {
  const { schema, standard } = unwrap(root);
  if (schema instanceof z.ZodObject) {
    return Object.entries<z.core.$ZodType>(schema.shape).flatMap(([key, value]) =>
      schemaLeaves(value, [...path, key]),
    );
  }
  if (schema instanceof z.ZodRecord) return schemaLeaves(schema.def.valueType, [...path, anyName]);
  if (schema instanceof z.ZodArray && unwrap(schema.def.element).schema instanceof z.ZodObject) {
    return schemaLeaves(schema.def.element, [...path, 0]);
  }
  return [{ path, standard }];
}
