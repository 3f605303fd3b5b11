import { defineConfig } from "@playwright/test";

export default defineConfig({
  testDir: "e2e",
  testMatch: "**/*.spec.ts",
  // See playwright.scenes.config.ts.
  testIgnore: "**/*-looks.spec.ts",
  workers: 1,
  // A shared machine can stall for longer than a test waits: one more try, and the report names it flaky.
  retries: 1,
  timeout: 180_000,
  expect: { timeout: 15_000 },
  globalSetup: "./e2e/pipeline.setup.ts",
  outputDir: "test-results/browser",
  reporter: [["list"], ["json", { outputFile: "test-results/browser.json" }]],
  use: {
    launchOptions: {
      executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
      args: [
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
      ],
    },
    viewport: { width: 1280, height: 900 },
    screenshot: "only-on-failure",
    trace: "off",
  },
});
