import type { Trouble } from "./watch-banner";

/** Why a request for data failed, as a sentence. */
export function troubleText(trouble: Trouble): string {
  if (trouble.kind === "no-answer") return "Tidemark's web process does not answer; the page keeps asking.";
  return [trouble.error.sentence, trouble.error.remedy].filter(Boolean).join(" ");
}
