/** What a reader found, to be held against what was written. */
export interface Finding {
  events: number;
  duplicates: number;
  /** A sum over what came again, of those that tell each. */
  identities?: string;
  /** Of those that do not read all: bytes fetched, by how many reads, and replays that were counted by identity. */
  bytesRead?: number;
  reads?: number;
  exact?: number;
}

/** What it cost. */
export interface Cost extends Finding {
  seconds: number;
  cpuSeconds: number;
  /** Resident memory at the end, in bytes. */
  memory: number;
}

/** Runs a reader and prints what it found and what it cost this process, as one line of JSON. */
export async function measured(read: () => Promise<Finding>): Promise<void> {
  const [cpu, start] = [process.cpuUsage(), process.hrtime.bigint()];
  const finding = await read();
  const seconds = Number(process.hrtime.bigint() - start) / 1e9;
  const { user, system } = process.cpuUsage(cpu);
  const cost: Cost = {
    ...finding,
    seconds,
    cpuSeconds: (user + system) / 1e6,
    memory: process.memoryUsage().rss,
  };
  console.log(JSON.stringify(cost));
}
