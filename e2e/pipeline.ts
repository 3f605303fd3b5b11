import type { Lab } from "@/lab/lab";
import { openLab } from "@/lab/open-lab";

/** A lab that is up, and the way to leave it as it was found. */
export interface Pipeline {
  lab: Lab;
  leave(): Promise<void>;
}

/**
 * Brings a lab up for the tests, unless it is up already; `leave` takes down what was brought up. Tests have a lab of
 * their own, beside the one that a person may have up, and begin with an empty one: what an earlier run left behind must
 * not decide this one. Child processes find the same lab by TIDEMARK_LAB_DIR.
 */
export async function openPipeline(): Promise<Pipeline> {
  const given = process.env.TIDEMARK_LAB_DIR || undefined;
  const lab = openLab(given ?? ".lab-test");
  process.env.TIDEMARK_LAB_DIR = lab.places.root;
  if (lab.isUp()) {
    await lab.waitRunning(120_000);
    return { lab, leave: async () => {} };
  }
  if (!given) await lab.reset();
  await lab.up({ log: (line) => console.log(`lab: ${line}`) });
  return { lab, leave: () => lab.down() };
}
