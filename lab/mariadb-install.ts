import { spawn } from "node:child_process";
import { accessSync, constants, mkdirSync, openSync } from "node:fs";
import { delimiter, join } from "node:path";
import { tailOf } from "./fault";
import { oneAtATime } from "./one-at-a-time";
import { cacheFolder, type Places } from "./places";
import { type Log, step } from "./progress";

const ALSO = ["/usr/sbin", "/usr/local/sbin", "/usr/libexec", "/opt/homebrew/bin"];

/** The path of a program on this machine, or null. */
export function findProgram(name: string): string | null {
  for (const folder of [...(process.env.PATH ?? "").split(delimiter), ...ALSO]) {
    const path = join(folder, name);
    try {
      accessSync(path, constants.X_OK);
      return path;
    } catch {
      // Not here.
    }
  }
  return null;
}

/** Whether MariaDB's server is installed. */
export function haveMariadb(): boolean {
  return findProgram("mariadbd") !== null && findProgram("mariadb-install-db") !== null;
}

/** Whether this user could install it with apt. */
export function canInstallMariadb(): boolean {
  return process.getuid?.() === 0 && findProgram("apt-get") !== null;
}

// policy-rc.d keeps the package from starting a server of its own. One script, so that what was there before is put
// back even when this program is killed; dpkg must never be stopped half-way, so it runs in a session of its own.
const INSTALL = `
policy=/usr/sbin/policy-rc.d
kept=$(mktemp)
had=no
if [ -e "$policy" ]; then had=yes; cp -p "$policy" "$kept"; fi
restore() { if [ "$had" = yes ]; then cp -p "$kept" "$policy"; else rm -f "$policy"; fi; rm -f "$kept"; }
trap restore EXIT
trap '' INT HUP TERM
printf '#!/bin/sh\\nexit 101\\n' > "$policy" && chmod 755 "$policy"
install() { DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=120 install -y --no-install-recommends mariadb-server; }
install || { apt-get update && install; }
`;

/** Installs MariaDB's server with apt, unless another lab did so meanwhile. @returns why it did not work, or null */
export function installMariadb(places: Places, log: Log): Promise<string | null> {
  return oneAtATime(cacheFolder(), "mariadb.lock", async () => (haveMariadb() ? null : install(places, log)));
}

async function install(places: Places, log: Log): Promise<string | null> {
  mkdirSync(places.logs, { recursive: true });
  const file = join(places.logs, "mariadb-install.log");
  const code = await step(log, "installing mariadb-server with apt-get", () => {
    const output = openSync(file, "w");
    const child = spawn("sh", ["-c", INSTALL], { detached: true, stdio: ["ignore", output, output] });
    return new Promise<number | null>((resolve) => {
      child.once("error", () => resolve(null));
      child.once("close", resolve);
    });
  });
  if (code === 0 && haveMariadb()) return null;
  return `apt-get could not install mariadb-server:\n${tailOf(file, 5)}\nThe whole log: ${file}`;
}
