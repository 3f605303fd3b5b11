import { defineConfig } from "@playwright/test";
import base from "./playwright.config";

/** Pages over made-up scenes: they need no pipeline, and can be looked at while others wait for one. */
const { globalSetup: _pipeline, testIgnore: _scenes, ...alike } = base;

export default defineConfig({
  ...alike,
  testMatch: "**/*-looks.spec.ts",
  outputDir: "test-results/scenes",
  reporter: [["list"], ["json", { outputFile: "test-results/scenes.json" }]],
});
