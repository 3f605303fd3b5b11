import { execFileSync } from "node:child_process";
import { java } from "./broker";
import { haveDownloads } from "./downloads";
import { LabFault } from "./fault";
import { canInstallMariadb, haveMariadb } from "./mariadb-install";

/** What this machine lacks to run the lab: a sentence each, with the way to get it. */
function lacks(avro: boolean): string[] {
  const sentences: string[] = [];
  const version = javaVersion();
  const getJava =
    "Get it: sudo apt-get install openjdk-17-jre-headless (Debian), brew install openjdk (macOS).";
  if (version === null) sentences.push(`Java 17 or newer is needed and there is no java. ${getJava}`);
  else if (version < 17) sentences.push(`Java 17 or newer is needed and this is Java ${version}. ${getJava}`);
  if (!haveDownloads(avro) && !runs("mvn", ["-v"])) {
    sentences.push(
      "Maven is needed to download what the lab runs and there is no mvn. Get it: sudo apt-get install maven (Debian), brew install maven (macOS).",
    );
  }
  return sentences;
}

/** What to say where MariaDB is wanted, and neither there nor to be installed. */
export const NO_MARIADB =
  "MariaDB is not installed. Get it: sudo apt-get install mariadb-server (Debian; the lab does it as root), brew install mariadb (macOS). Without it only the PostgreSQL half runs.";

/** @throws LabFault with all that this machine lacks */
export function requireNeeds(withMariadb: boolean, avro = false): void {
  const sentences = lacks(avro);
  if (sentences.length > 0 && withMariadb && !haveMariadb() && !canInstallMariadb())
    sentences.push(NO_MARIADB);
  if (sentences.length > 0) throw new LabFault(sentences.join("\n"));
}

function javaVersion(): number | null {
  try {
    // `java -version` speaks on standard error: "… version "17.0.15" …"; --version, since 9, on standard output.
    const said = execFileSync(java(), ["--version"], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
    return parseJavaVersion(said);
  } catch {
    return runs(java(), ["-version"]) ? 8 : null;
  }
}

/** The feature release in what `java --version` prints, such as 17. */
export function parseJavaVersion(said: string): number | null {
  const match = /^\S+ (\d+)/.exec(said);
  return match?.[1] ? Number(match[1]) : null;
}

function runs(command: string, args: string[]): boolean {
  try {
    execFileSync(command, args, { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}
