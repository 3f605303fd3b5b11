// npx tsx bench/dial.ts: the dial beside a replayed simulation of the same hour.
import { dialOf } from "@/lib/measure/replay-window/dial";
import { statisticsOf } from "@/lib/measure/replay-window/statistics";
import { watched } from "./dial-polls";
import { acknowledged, recording } from "./dial-recording";
import { recorded, simulated } from "./dial-simulation";

const seed = Number(process.argv[2] ?? 1);
const produced = recording(seed);
const hour = recorded(produced, acknowledged(produced, seed));
console.log(produced.length);
for (const inForce of [60_000, 5_000]) {
  for (const refine of [true, false]) {
    const t = performance.now();
    const seen = watched(hour, inForce, refine);
    const t2 = performance.now();
    const s = statisticsOf(seen.points);
    const dial = dialOf(seen.points, inForce);
    const model = dialOf(seen.points, null);
    console.log(
      {
        inForce,
        refine,
        points: seen.points.length,
        asked: seen.asked,
        most: seen.mostAsked,
        ms: t2 - t,
        dialMs: performance.now() - t2,
      },
      s,
      dial.whyNone,
    );
    for (const [i, p] of dial.points.entries()) {
      const sim = simulated(hour, p.intervalMs);
      const pc = (a: number | null, b: number) => `${((100 * ((a ?? 0) - b)) / b).toFixed(1)} %`;
      console.log(
        p.intervalMs,
        p.inForce,
        p.expected?.toFixed(1),
        sim.mean.toFixed(1),
        pc(p.expected, sim.mean),
        pc(model.points[i]?.expected ?? 0, sim.mean),
        "|",
        p.worst,
        sim.worst,
        pc(p.worst, sim.worst),
      );
    }
  }
}
