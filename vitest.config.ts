import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const alias = { "@": fileURLToPath(new URL(".", import.meta.url)).replace(/\/$/, "") };

// unit: no network, no lab. lab: needs the real pipeline, which its global set-up starts.
export default defineConfig({
  resolve: { alias },
  test: {
    projects: [
      {
        resolve: { alias },
        test: {
          name: "unit",
          include: [
            "lib/**/*.test.ts",
            "app/**/*.test.ts",
            "components/**/*.test.{ts,tsx}",
            "scripts/**/*.test.ts",
          ],
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        resolve: { alias },
        test: {
          name: "lab",
          include: ["lab/**/*.test.ts", "e2e/**/*.test.ts"],
          globalSetup: ["e2e/lab.setup.ts"],
          fileParallelism: false,
          // A shared machine can stall for longer than a test waits.
          retry: 1,
          testTimeout: 180_000,
          hookTimeout: 300_000,
        },
      },
    ],
  },
});
