import type { Lab } from "@/lab/lab";
import { eventually } from "./dashboard";

/**
 * Waits until each connector has committed where it reads its source's log. Until then a crash makes it read its whole
 * snapshot again, which leaves re-reads and no duplicates.
 */
export async function pastSnapshots(lab: Lab, connectors: readonly string[]): Promise<void> {
  for (const connector of connectors)
    await eventually(`${connector} has committed an offset past its snapshot`, 120_000, async () => {
      const { body } = await lab.rest("GET", `/connectors/${connector}/offsets`);
      const [first] = (body as { offsets?: { offset?: Record<string, unknown> }[] }).offsets ?? [];
      return first?.offset !== undefined && !("snapshot" in first.offset);
    });
}
