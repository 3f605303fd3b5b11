import { defineConfig } from "@playwright/test";
import scenes from "./playwright.scenes.config";

/** Takes the pictures of the README anew, of a made-up scene: no test, and run by hand. */
export default defineConfig({
  ...scenes,
  testMatch: "**/readme-pictures.ts",
  outputDir: "test-results/pictures",
  retries: 0,
  reporter: "list",
});
