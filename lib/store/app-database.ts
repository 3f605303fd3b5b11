import { type Database, DatabaseUnavailable, openDatabase } from "./database";

const held = globalThis as { tidemarkDatabase?: { url: string; database: Database } };

/**
 * The database of this process, from DATABASE_URL. One pool a process: Next loads modules anew on a hot reload.
 * @throws DatabaseUnavailable when DATABASE_URL is not set: the app was not started by `tidemark start` or `tidemark web`
 */
export function appDatabase(): Database {
  const url = process.env.DATABASE_URL;
  if (!url) {
    throw new DatabaseUnavailable(
      "DATABASE_URL is not set: start Tidemark with `tidemark start`, or set it for `tidemark web`.",
    );
  }
  if (held.tidemarkDatabase?.url !== url) held.tidemarkDatabase = { url, database: openDatabase(url) };
  return held.tidemarkDatabase.database;
}
