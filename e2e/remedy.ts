import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Lab } from "@/lab/lab";
import { toolEnvironment } from "@/lab/tools";
import type { FindingDetail } from "@/lib/views/findings";
import { eventually } from "./dashboard";

/** Runs one command as a person would paste it into a terminal. @throws with what it printed */
export async function inShell(lab: Lab, command: string): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)("bash", ["-c", command], {
      env: { ...process.env, ...toolEnvironment(lab) },
      timeout: 60_000,
    });
    return stdout;
  } catch (error) {
    const printed = error as { stdout?: string; stderr?: string };
    throw new Error(`${command}\n${printed.stdout ?? ""}${printed.stderr ?? String(error)}`);
  }
}

/** Runs the steps of a finding in their order, each as shown; where a step says to wait, waits for RUNNING. */
export async function runRemedy(lab: Lab, finding: Pick<FindingDetail, "remedy">): Promise<string[]> {
  const ran: string[] = [];
  for (const step of finding.remedy) {
    if (!step.command) continue;
    ran.push(step.command);
    if (step.command.includes("/status")) {
      await eventually(`RUNNING by ${step.command}`, 60_000, async () =>
        isRunning(await inShell(lab, `${step.command}`)),
      );
    } else {
      // A stop or a resume asks the worker for a rebalance: for a moment it answers 409, as it may to a person.
      await eventually(step.command, 30_000, async () => {
        await inShell(lab, `${step.command}`);
        return true;
      });
    }
  }
  return ran;
}

function isRunning(answer: string): boolean {
  const { connector, tasks } = JSON.parse(answer) as {
    connector: { state: string };
    tasks: { state: string }[];
  };
  return connector.state === "RUNNING" && tasks.length > 0 && tasks.every((t) => t.state === "RUNNING");
}
