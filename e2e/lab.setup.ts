import type { TestProject } from "vitest/node";
import { openLab } from "@/lab/lab";

/** Tests have a lab of their own, beside the one that a person may have up. */
const FOLDER = process.env.TIDEMARK_LAB_DIR ?? ".lab-test";

declare module "vitest" {
  export interface ProvidedContext {
    /** The lab's folder, for `openLab(inject("labFolder"))`. */
    labFolder: string;
  }
}

/** Brings a lab up for the tests, unless it is up already, and takes down what it brought up. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const lab = openLab(FOLDER);
  process.env.TIDEMARK_LAB_DIR = lab.places.root;
  project.provide("labFolder", lab.places.root);
  if (lab.isUp()) {
    await lab.waitRunning(120_000);
    return async () => {};
  }
  await lab.up({ log: (line) => console.log(`lab: ${line}`) });
  return () => lab.down();
}
