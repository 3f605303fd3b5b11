import { LabFault } from "./fault";
import type { Places } from "./places";
import { isAlive, isFrozen, send } from "./processes";
import { until } from "./progress";
import { type ProcessName, requireState } from "./state";

/**
 * Stops a process where it stands (SIGSTOP): it keeps its connections and answers nothing, as after a long garbage
 * collection or on a machine that was suspended.
 * @throws LabFault for one that is down, and for PostgreSQL, which is many processes
 */
export async function freezeProcess(places: Places, name: ProcessName): Promise<void> {
  if (name === "postgres")
    throw new LabFault(
      "PostgreSQL is many processes, and freezing one leaves the others: stop or crash it instead.",
    );
  await sendAndSee(places, name, "SIGSTOP", true);
}

/** Lets a frozen process go on (SIGCONT). @throws LabFault for one that is down */
export async function thawProcess(places: Places, name: ProcessName): Promise<void> {
  await sendAndSee(places, name, "SIGCONT", false);
}

async function sendAndSee(
  places: Places,
  name: ProcessName,
  signal: NodeJS.Signals,
  frozen: boolean,
): Promise<void> {
  const recorded = requireState(places).processes[name];
  if (!isAlive(recorded)) throw new LabFault(`${name} is down. Start it: npm run lab -- start ${name}`);
  send(recorded.pid, signal);
  await until(
    async () => (isFrozen(recorded) === frozen ? true : null),
    5_000,
    () => new LabFault(`${name} did not take ${signal}.`),
  );
}
