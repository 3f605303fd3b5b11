import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";

const answerSchema = z.object({
  pid: z.number(),
  beats: z.array(z.object({ kind: z.string(), pid: z.number(), beatAt: z.coerce.date() })),
});
type Answer = z.infer<typeof answerSchema>;

const folder = mkdtempSync(join(tmpdir(), "tidemark-start-"));
const root = join(import.meta.dirname, "../..");
/** Bundled as the real one is, and inside the package, where its packages are found. */
const program = join(root, "node_modules/.cache/tidemark-start-test", `${process.pid}.js`);
/** Every process that a test has seen: only these are ended. */
const seen = new Set<number>();
let port = 0;

interface Supervisor {
  child: ChildProcess;
  pid: number;
  output(): string;
  ended: Promise<number | null>;
}

function start(): Supervisor {
  const child = spawn(process.execPath, [program, "supervise"], {
    env: {
      ...process.env,
      DATA_DIR: join(folder, "data"),
      PORT: String(port),
      DATABASE_URL: "",
      TIDEMARK_CONFIG: join(folder, "tidemark.yaml"),
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  child.stdout.on("data", (text) => {
    output += text;
  });
  child.stderr.on("data", (text) => {
    output += text;
  });
  const pid = child.pid ?? 0;
  seen.add(pid);
  const ended = new Promise<number | null>((resolve) => child.once("exit", resolve));
  return { child, pid, output: () => output, ended };
}

async function ask(): Promise<Answer | null> {
  try {
    const response = await fetch(`http://127.0.0.1:${port}/`, { signal: AbortSignal.timeout(2_000) });
    const answer = response.ok ? answerSchema.parse(await response.json()) : null;
    if (answer) for (const pid of [answer.pid, ...answer.beats.map((b) => b.pid)]) seen.add(pid);
    return answer;
  } catch {
    return null;
  }
}

/** Both parts work after `since`: the pages can read, and a collector has written. */
async function wellAfter(since: number, also: (answer: Answer) => boolean = () => true): Promise<Answer> {
  const { value } = await within(30_000, async () => {
    const answer = await ask();
    const fresh = answer?.beats.some((b) => b.kind === "collect" && b.beatAt.getTime() > since);
    return answer && fresh && also(answer) ? { value: answer } : null;
  });
  return value;
}

async function within<T>(ms: number, condition: () => Promise<T | null | false>): Promise<T> {
  for (const end = Date.now() + ms; Date.now() < end; await sleep(100)) {
    const found = await condition();
    if (found) return found;
  }
  throw new Error(`It did not happen within ${ms / 1000} s.\n${supervisor?.output()}`);
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

function postmaster(): number {
  const pid = Number(readFileSync(join(folder, "data/postgres/postmaster.pid"), "utf8").split("\n")[0]);
  seen.add(pid);
  return pid;
}

/** The pages and the collector of a supervisor, from proc(5): their command line holds our program. */
function partsOf(parent: number): number[] {
  return readdirSync("/proc").flatMap((name) => {
    const [, ppid] = procStat(name) ?? [];
    return Number(ppid) === parent && commandOf(name).includes(program) ? [Number(name)] : [];
  });
}

/** A dead child that nobody has waited for still has its number. */
function runs(pid: number): boolean {
  const [state] = procStat(String(pid)) ?? [];
  return state !== undefined && state !== "Z";
}

/** State, parent and what follows them; null when there is no such process. */
function procStat(name: string): string[] | null {
  try {
    const text = readFileSync(`/proc/${name}/stat`, "utf8");
    return text.slice(text.lastIndexOf(")") + 2).split(" ");
  } catch {
    return null;
  }
}

function commandOf(name: string): string {
  try {
    return readFileSync(`/proc/${name}/cmdline`, "utf8");
  } catch {
    return "";
  }
}

function collectorOf({ beats }: Answer): number {
  return beats.find((b) => b.kind === "collect")?.pid ?? 0;
}

let supervisor: Supervisor | null = null;

beforeAll(async () => {
  await build({
    entryPoints: [fileURLToPath(import.meta.resolve("./start.fixture.ts"))],
    outfile: program,
    ...{ bundle: true, format: "esm", platform: "node", target: "node20", packages: "external" },
    alias: { "@": root },
  });
  writeFileSync(join(folder, "tidemark.yaml"), "clusters: []\n");
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  port = typeof address === "object" && address ? address.port : 0;
  await new Promise((resolve) => server.close(resolve));
});

afterAll(() => {
  for (const pid of seen) if (exists(pid)) process.kill(pid, "SIGKILL");
  rmSync(program, { force: true });
  rmSync(folder, { recursive: true, force: true });
});

describe.sequential("tidemark start", { timeout: 180_000 }, () => {
  test("after a kill -9 of pages, collector and database, in turn, all is well within 30 s", async () => {
    supervisor = start();
    // The first start makes the database, which has no limit of its own.
    await within(60_000, ask);
    let well = await wellAfter(0);
    expect(supervisor.output()).toContain("ready");

    const web = well.pid;
    process.kill(web, "SIGKILL");
    well = await wellAfter(Date.now(), (answer) => answer.pid !== web);

    const collector = collectorOf(well);
    process.kill(collector, "SIGKILL");
    well = await wellAfter(Date.now(), (answer) => collectorOf(answer) !== collector);

    const database = postmaster();
    process.kill(database, "SIGKILL");
    await wellAfter(Date.now());
    expect(postmaster()).not.toBe(database);
  });

  test("a second one on the same data directory says so and ends", async () => {
    const second = start();
    expect(await second.ended).not.toBe(0);
    expect(second.output()).toContain(`in use by another Tidemark (process ${supervisor?.pid})`);
  });

  test("after a kill -9 of itself only the database is left, and the next start takes it over", async () => {
    const { pid, beats } = await wellAfter(Date.now());
    const database = postmaster();
    process.kill(supervisor?.pid ?? 0, "SIGKILL");
    await within(10_000, async () => ![pid, ...beats.map((b) => b.pid)].some(exists));
    expect(exists(database)).toBe(true);
    supervisor = start();
    await wellAfter(Date.now());
    expect(supervisor.output()).toContain("is taken over");
    expect(postmaster()).toBe(database);
  });

  test("SIGTERM ends everything in order within 10 s", async () => {
    const { pid, beats } = await wellAfter(Date.now());
    const database = postmaster();
    const asked = Date.now();
    process.kill(supervisor?.pid ?? 0, "SIGTERM");
    expect(await supervisor?.ended).toBe(0);
    expect(Date.now() - asked).toBeLessThan(10_000);
    await within(5_000, async () => ![pid, database, ...beats.map((b) => b.pid)].some(exists));
  });

  test.runIf(existsSync("/proc/self/stat"))(
    "after a kill -9 of itself at the birth of its children none of them is left",
    async () => {
      supervisor = start();
      const { pid } = supervisor;
      const born = await within(30_000, async () => {
        const children = partsOf(pid);
        return children.length > 0 && children;
      });
      for (const child of new Set([...born, ...partsOf(pid)])) seen.add(child);
      process.kill(pid, "SIGKILL");
      postmaster();
      await within(10_000, async () => !born.some(runs));
      expect(await ask()).toBeNull();
    },
  );
});
