import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { LabFault } from "./fault";
import { oneAtATime } from "./one-at-a-time";
import { CHECKOUT, cacheFolder, type Places } from "./places";
import { markedEnvironment } from "./processes";
import { type Log, step } from "./progress";

const POM = join(CHECKOUT, "lab", "pom.xml");
const AVRO_POM = join(CHECKOUT, "lab", "avro-pom.xml");

/** Java programs, ready to run. */
export interface Downloads {
  /** Folder of Kafka's and Connect's jars. */
  kafka: string;
  /** Connect's `plugin.path`: one folder a connector. */
  plugins: string;
}

/** What only an Avro lab runs. */
export interface AvroDownloads {
  /** Folder of the schema registry. */
  registry: string;
  /** A folder for Connect's `plugin.path`, with the Avro converter. */
  plugins: string;
}

/** Where the downloads of this pom.xml are kept. Another pom.xml has another folder. */
export function downloadsFolder(pom = POM): string {
  const key = createHash("sha256").update(readFileSync(pom)).digest("hex").slice(0, 12);
  return join(cacheFolder(), key);
}

/** Whether a run now would download nothing. The folder gets its name only when it is whole. */
export function haveDownloads(avro = false): boolean {
  return existsSync(downloadsFolder()) && (!avro || existsSync(downloadsFolder(AVRO_POM)));
}

/** One version of either pom.xml, such as `kafka.version`. */
export function versionOf(property: string): string {
  const poms = `${readFileSync(POM, "utf8")}${readFileSync(AVRO_POM, "utf8")}`;
  return new RegExp(`<${property}>([^<]+)<`).exec(poms)?.[1] ?? "unknown";
}

/** Downloads Kafka, Connect and the connectors with Maven, unless the cache has them. @throws LabFault */
export async function download(places: Places, log: Log): Promise<Downloads> {
  const folder = downloadsFolder();
  if (!existsSync(folder)) {
    const names = `Kafka ${versionOf("kafka.version")} and Debezium ${versionOf("debezium.postgres.version")}`;
    await step(log, `downloading ${names} to ${cacheFolder()}`, () =>
      downloadOnce(places, folder, POM, "plugins"),
    );
  }
  return { kafka: join(folder, "kafka"), plugins: join(folder, "plugins") };
}

/** Downloads the schema registry and the Avro converter (142 MB), unless the cache has them. @throws LabFault */
export async function downloadAvro(places: Places, log: Log): Promise<AvroDownloads> {
  const folder = downloadsFolder(AVRO_POM);
  if (!existsSync(folder)) {
    const name = `Apicurio Registry ${versionOf("apicurio.version")}`;
    await step(log, `downloading ${name} to ${cacheFolder()}`, () =>
      downloadOnce(places, folder, AVRO_POM, "registry"),
    );
  }
  return { registry: join(folder, "registry"), plugins: join(folder, "plugins") };
}

/** Of several labs that begin at once on a new machine one downloads; the others take what it got. */
function downloadOnce(places: Places, folder: string, pom: string, unpacked: string): Promise<void> {
  return oneAtATime(cacheFolder(), "download.lock", async () => {
    if (!existsSync(folder)) await downloadTo(places, folder, pom, unpacked);
  });
}

/** Leaves what the archives hold in `unpacked`. */
async function downloadTo(places: Places, folder: string, pom: string, unpacked: string): Promise<void> {
  removeOldDrafts();
  const draft = `${folder}.${process.pid}.part`;
  rmSync(draft, { recursive: true, force: true });
  await run(places, "mvn", ["-B", "-ntp", "-q", "-f", pom, "package", `-Dlab.out=${draft}`]);
  mkdirSync(join(draft, unpacked), { recursive: true });
  for (const archive of readdirSync(join(draft, "archives"))) {
    await run(places, "tar", ["xzf", join(draft, "archives", archive), "-C", join(draft, unpacked)]);
  }
  rmSync(join(draft, "archives"), { recursive: true });
  rmSync(join(draft, "target"), { recursive: true, force: true });
  renameSync(draft, folder);
}

/** Drafts of runs that were killed more than an hour ago. */
function removeOldDrafts(): void {
  for (const name of readdirSync(cacheFolder())) {
    const draft = join(cacheFolder(), name);
    if (name.endsWith(".part") && Date.now() - statSync(draft).mtimeMs > 3_600_000) {
      rmSync(draft, { recursive: true, force: true });
    }
  }
}

function run(places: Places, command: string, args: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      stdio: ["ignore", "pipe", "pipe"],
      env: markedEnvironment(places),
      timeout: 900_000,
    });
    let output = "";
    const keep = (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(-4_000);
    };
    child.stdout.on("data", keep);
    child.stderr.on("data", keep);
    child.once("error", reject);
    child.once("close", (code, signal) => {
      if (code === 0) return resolve();
      reject(new LabFault(`${command} failed (${signal ?? `exit code ${code}`}):\n${output.trim()}`));
    });
  });
}
