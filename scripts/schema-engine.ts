/**
 * SQL for migrations, by Prisma's schema engine as WebAssembly: the CLI's own engine is a binary that it downloads.
 *   npx tsx scripts/schema-engine.ts sql          the SQL of the whole schema
 *   npx tsx scripts/schema-engine.ts new NAME     writes the migration from the committed schema to the one at hand
 * What the schema cannot say (storage parameters, partial indexes) is added to the migration by hand.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  bindMigrationAwareSqlAdapterFactory,
  type SqlDriverAdapter,
  type SqlMigrationAwareDriverAdapterFactory,
} from "@prisma/driver-adapter-utils";
import * as engineModule from "@prisma/schema-engine-wasm/schema_engine_bg";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const schemaPath = join(root, "prisma/schema.prisma");

type Engine = Awaited<ReturnType<typeof engineModule.SchemaEngine.new>>;
type DiffTarget = Parameters<Engine["diff"]>[0]["from"];

/** A diff of schema files needs no database, but the engine greets one when it opens. */
const noDatabase: SqlMigrationAwareDriverAdapterFactory = {
  provider: "postgres",
  adapterName: "none",
  connect: () => Promise.resolve(greeter),
  connectToShadowDb: () => Promise.reject(new Error("A diff of schema files has no shadow database.")),
};

const greeter: SqlDriverAdapter = {
  provider: "postgres",
  adapterName: "none",
  queryRaw: () => Promise.resolve({ columnNames: [], columnTypes: [], rows: [] }),
  executeRaw: () => Promise.resolve(0),
  executeScript: () => Promise.resolve(),
  startTransaction: () => Promise.reject(new Error("A diff of schema files changes nothing.")),
  dispose: () => Promise.resolve(),
};

let loading: Promise<void> | undefined;

/** Once: the module keeps views of one instance's memory. */
function loadEngine(): Promise<void> {
  loading ??= (async () => {
    const file = createRequire(import.meta.url).resolve("@prisma/schema-engine-wasm/schema_engine_bg");
    const code = readFileSync(join(dirname(file), "schema_engine_bg.wasm"));
    const loaded = (await WebAssembly.instantiate(code, {
      "./schema_engine_bg.js": engineModule as unknown as WebAssembly.ModuleImports,
    })) as unknown as { instance: { exports: { __wbindgen_start(): void } } };
    // Wasm-bindgen's own way in; its types leave it out.
    const { __wbg_set_wasm: setWasm } = engineModule as unknown as {
      __wbg_set_wasm(exports: unknown): void;
    };
    setWasm(loaded.instance.exports);
    loaded.instance.exports.__wbindgen_start();
  })();
  return loading;
}

async function openEngine(schema: string, database = noDatabase): Promise<Engine> {
  await loadEngine();
  const adapter = bindMigrationAwareSqlAdapterFactory(database);
  return engineModule.SchemaEngine.new({ datamodels: [[schemaPath, schema]] }, () => undefined, adapter);
}

function target(schema: string): DiffTarget {
  return {
    tag: "schemaDatamodel",
    files: [{ path: schemaPath, content: schema }],
  };
}

/** SQL that leads from one schema to another; from nothing when `before` is null. Needs no database. */
export async function schemaSql(before: string | null, after: string): Promise<string> {
  const engine = await openEngine(after);
  try {
    const { stdout } = await engine.diff({
      from: before === null ? { tag: "empty" } : target(before),
      to: target(after),
      script: true,
      exitCode: null,
      filters: { externalTables: [], externalEnums: [] },
    });
    return stdout ?? "";
  } finally {
    engine.free();
  }
}

/** Applies the migrations of a folder as `prisma migrate deploy` does. Returns the names of those applied now. */
export async function deployMigrations(
  database: SqlMigrationAwareDriverAdapterFactory,
  folder: string,
): Promise<string[]> {
  const read = (...path: string[]) => readFileSync(join(folder, ...path), "utf8");
  const folders = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const names = folders.map((entry) => entry.name).sort();
  const engine = await openEngine(schemaText(), database);
  try {
    const { appliedMigrationNames } = await engine.applyMigrations({
      migrationsList: {
        baseDir: folder,
        lockfile: { path: "migration_lock.toml", content: read("migration_lock.toml") },
        shadowDbInitScript: "",
        migrationDirectories: names.map((name) => ({
          path: name,
          migrationFile: {
            path: "migration.sql",
            content: { tag: "ok", value: read(name, "migration.sql") },
          },
        })),
      },
      filters: { externalTables: [], externalEnums: [] },
    });
    return appliedMigrationNames;
  } finally {
    engine.free();
  }
}

/** The schema as it lies in prisma/. */
export function schemaText(): string {
  return readFileSync(schemaPath, "utf8");
}

async function main([verb, name]: string[]): Promise<number> {
  if (verb === "sql") {
    console.log(await schemaSql(null, schemaText()));
    return 0;
  }
  if (verb !== "new" || !name || !/^[a-z0-9_]+$/.test(name)) {
    console.error("Usage: npx tsx scripts/schema-engine.ts sql | new NAME   (NAME: a-z, 0-9, _)");
    return 2;
  }
  const committed = execFileSync("git", ["show", "HEAD:prisma/schema.prisma"], {
    cwd: root,
    encoding: "utf8",
  });
  const sql = await schemaSql(committed, schemaText());
  const stamp = new Date().toISOString().replace(/\D/g, "").slice(0, 14);
  const folder = join(root, "prisma/migrations", `${stamp}_${name}`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "migration.sql"), sql);
  console.log(`${folder}/migration.sql`);
  return 0;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.exitCode = await main(process.argv.slice(2));
