import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { registryUrlOf } from "./avro";
import { java } from "./broker";
import type { AvroDownloads } from "./downloads";
import { faultWithLog, LabFault } from "./fault";
import type { Places } from "./places";
import type { LabPorts } from "./ports";
import { isAlive, launch, logOf } from "./processes";
import { until } from "./progress";

/** Starts the schema registry and waits until it answers. @throws LabFault */
export async function startRegistry(
  places: Places,
  ports: LabPorts,
  downloads: AvroDownloads,
): Promise<void> {
  const folder = join(places.data, "registry");
  mkdirSync(folder, { recursive: true });
  const recorded = await launch(places, "registry", {
    command: java(),
    args: [
      "-Xmx256m",
      "-XX:+UseSerialGC",
      "-XX:TieredStopAtLevel=1",
      "-Dquarkus.http.host=127.0.0.1",
      `-Dquarkus.http.port=${ports.registry}`,
      "-jar",
      programOf(downloads),
    ],
    // By itself it keeps schemas in memory, and after a restart the ids in old records would name other schemas.
    environment: { REGISTRY_DATASOURCE_URL: `jdbc:h2:file:${join(folder, "schemas")}` },
  });
  const log = logOf(places, "registry");
  await until(
    async () => {
      if (!isAlive(recorded)) throw faultWithLog("The schema registry ended while it started.", log);
      const answer = await fetch(`${registryUrlOf(ports)}/subjects`, {
        redirect: "error",
        signal: AbortSignal.timeout(5_000),
      }).catch(() => null);
      return answer?.ok ? true : null;
    },
    90_000,
    () => faultWithLog("The schema registry does not answer after 90 s.", log),
  );
}

function programOf({ registry }: AvroDownloads): string {
  const name = readdirSync(registry).find((file) => file.endsWith("-runner.jar"));
  if (!name) throw new LabFault(`${registry} holds no schema registry. Delete the folder, and try again.`);
  return join(registry, name);
}
