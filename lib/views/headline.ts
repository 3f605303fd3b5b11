import { byOutcome, type Outcome } from "@/lib/checks/verdict";
import type { ConnectorInput } from "./connector";

/** stub */
export function headline(input: ConnectorInput): { outcome: Outcome; sentence: string } {
  const worst = [...input.connector.verdicts].sort(byOutcome)[0];
  return { outcome: worst?.outcome ?? "unknown", sentence: worst?.sentence ?? "Not judged yet." };
}
