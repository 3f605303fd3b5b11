import { execFile, execFileSync } from "node:child_process";
import { chownSync } from "node:fs";
import { promisify } from "node:util";
import { LabFault } from "./fault";
import type { Launch } from "./processes";

/** A way to run a database server as somebody else than root, which both refuse. */
export interface OrdinaryUser {
  launch(command: string, args: readonly string[]): Launch;
  /** Runs to the end, at most two minutes. @throws with the program's output */
  run(command: string, args: readonly string[], environment: NodeJS.ProcessEnv): Promise<void>;
  /** Hands a folder or file to that user. */
  own(path: string): void;
}

const UNSHARE = "unshare";
const NAMESPACE = ["--user", "--map-user=1000", "--map-group=1000", "--"];
let found: OrdinaryUser | undefined;

/**
 * As ourselves; as root in a user namespace where root is uid 1000 (files stay root's); or as an existing user, to whom
 * the data then belongs.
 * @throws LabFault where none of them works.
 */
export function ordinaryUser(): OrdinaryUser {
  found ??= findUser();
  return found;
}

function findUser(): OrdinaryUser {
  if (process.getuid?.() !== 0) return asUser([], undefined);
  try {
    execFileSync(UNSHARE, [...NAMESPACE, "true"], { stdio: "ignore" });
    return asUser([UNSHARE, ...NAMESPACE], undefined);
  } catch {
    // User namespaces are often forbidden in containers.
  }
  for (const name of ["postgres", "nobody"]) {
    try {
      const id = (flag: string) =>
        Number(execFileSync("id", [flag, name], { encoding: "utf8", stdio: "pipe" }));
      return asUser([], { uid: id("-u"), gid: id("-g") });
    } catch {
      // No such user.
    }
  }
  throw new LabFault(
    "Databases refuse to run as root, and there is no other way here: run the lab as an ordinary user.",
  );
}

function asUser(before: readonly string[], user: Launch["user"]): OrdinaryUser {
  const words = (command: string, args: readonly string[]) => {
    const [first = command, ...rest] = [...before, command, ...args];
    return { command: first, args: rest };
  };
  return {
    launch: (command, args) => ({ ...words(command, args), ...(user ? { user } : {}) }),
    async run(command, args, environment) {
      const line = words(command, args);
      const options = { cwd: "/", timeout: 120_000, maxBuffer: 4 << 20, env: environment, ...user };
      await promisify(execFile)(line.command, line.args, options);
    },
    own: (path) => {
      if (user) chownSync(path, user.uid, user.gid);
    },
  };
}
