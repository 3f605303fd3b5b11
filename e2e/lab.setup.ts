import type { TestProject } from "vitest/node";
import { openPipeline } from "./pipeline";

declare module "vitest" {
  export interface ProvidedContext {
    /** The lab's folder, for `openLab(inject("labFolder"))`. */
    labFolder: string;
  }
}

/** The lab of the tests in vitest. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { lab, leave } = await openPipeline();
  project.provide("labFolder", lab.places.root);
  return leave;
}
