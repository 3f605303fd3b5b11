import { openPipeline } from "./pipeline";

/** The lab of the tests in a browser. */
export default async function setup(): Promise<() => Promise<void>> {
  const { leave } = await openPipeline();
  return leave;
}
