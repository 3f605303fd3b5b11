import { defineConfig } from "prisma/config";

// `prisma generate` never runs the schema engine, yet the CLI downloads its binary unless it is named.
if (process.argv.includes("generate")) process.env.PRISMA_SCHEMA_ENGINE_BINARY ??= process.execPath;

export default defineConfig({
  schema: "prisma/schema.prisma",
  migrations: { path: "prisma/migrations" },
  datasource: { url: process.env.DATABASE_URL ?? "postgresql://tidemark@127.0.0.1:5432/tidemark" },
});
