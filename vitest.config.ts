import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const alias = { "@": fileURLToPath(new URL(".", import.meta.url)).replace(/\/$/, "") };

const ofLabs = {
  fileParallelism: false,
  // A shared machine can stall for longer than a test waits.
  retry: 1,
  testTimeout: 180_000,
  hookTimeout: 300_000,
};

// unit: no network, no lab. lab: needs the real pipeline, which its global set-up starts. own-lab: each file brings up one of its
// own, since it breaks it.
export default defineConfig({
  resolve: { alias },
  test: {
    projects: [
      {
        resolve: { alias },
        test: {
          name: "unit",
          setupFiles: ["scripts/seed.ts"],
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
          ...ofLabs,
          name: "lab",
          include: ["lab/**/*.test.ts", "e2e/**/*.test.ts"],
          exclude: ["**/*.own-lab.test.ts"],
          globalSetup: ["e2e/lab.setup.ts"],
        },
      },
      {
        resolve: { alias },
        test: { ...ofLabs, name: "own-lab", include: ["{lab,e2e}/**/*.own-lab.test.ts"] },
      },
    ],
  },
});
