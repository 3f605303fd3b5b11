// npm run bench: what is fast, beside what a person would use instead. `npm run bench -- fleet` runs one of them.
import { openLab } from "@/lab/open-lab";
import { benchDial } from "./dial";
import { benchDuplicates } from "./duplicates";
import { benchFleet } from "./fleet";
import { benchLog } from "./log";
import { benchScan } from "./scan";

const benches = {
  log: benchLog,
  fleet: benchFleet,
  dial: benchDial,
  scan: benchScan,
  duplicates: benchDuplicates,
};

const [name] = process.argv.slice(2);
const chosen = Object.entries(benches).filter(([one]) => name === undefined || one === name);
if (chosen.length === 0) throw new Error(`there is no bench "${name}": ${Object.keys(benches).join(", ")}`);

const lab = openLab(".lab-bench");
try {
  for (const [, bench] of chosen) await bench(lab);
} finally {
  await lab.reset();
}
