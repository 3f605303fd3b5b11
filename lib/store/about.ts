import { z } from "zod";
import type { Database } from "./database";

/** The `cluster_name` by which a PostgreSQL that we run is known. */
export const embeddedName = "tidemark-embedded";

export interface AboutDatabase {
  /** Such as `16.14`. */
  serverVersion: string;
  /** Bytes on disk. */
  sizeBytes: number;
  /** Whether Tidemark runs this PostgreSQL itself. */
  embedded: boolean;
  /** Migrations that were applied to the end, in order. */
  migrations: { name: string; appliedAt: Date }[];
}

const serverSchema = z.array(z.object({ version: z.string(), size: z.coerce.number(), name: z.string() }));
const migrationsSchema = z.array(z.object({ name: z.string(), appliedAt: z.date() }));

/** What the Status page says of our own database. @throws DatabaseUnavailable */
export function aboutDatabase(db: Database): Promise<AboutDatabase> {
  return db.run(async (statements) => {
    const [server] = serverSchema.parse(
      await statements.$queryRaw`
        SELECT current_setting('server_version') AS version, pg_database_size(current_database()) AS size,
               current_setting('cluster_name') AS name`,
    );
    const migrations = migrationsSchema.parse(
      await statements.$queryRaw`
        SELECT migration_name AS name, finished_at AS "appliedAt" FROM _prisma_migrations
        WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL ORDER BY finished_at, migration_name`,
    );
    if (!server) throw new Error("PostgreSQL did not tell its version.");
    return {
      serverVersion: server.version,
      sizeBytes: server.size,
      embedded: server.name === embeddedName,
      migrations,
    };
  });
}
