import type { Replay } from "@/lib/observed/duplicates";
import { saveReplays } from "@/lib/store/replays";
import { saveRestart } from "@/lib/store/restarts";
import { duplicatesOf } from "@/lib/views/scene-duplicates";
import { seen } from "@/lib/views/scene-facts";
import { type DuplicatesState, duplicatesRestarts, replaysOf } from "@/lib/views/scene-replays";
import { refusedWindow } from "@/lib/views/scene-windows";
import { type MoreOfIt, startWindowScene } from "./window-scene";

/** The connector of the README's picture: a replay window, and a week with three replays. */
export const README_CONNECTOR = "steady-cdc";

/** What came twice in those connectors that are not quiet. */
const states: Readonly<Record<string, DuplicatesState>> = {
  [README_CONNECTOR]: "three",
  "bursty-cdc": "two",
  "several-cdc": "flattened",
  "unknown-cdc": "unknown",
};

const named =
  (connector: string) =>
  (replay: Replay): Replay => ({
    ...replay,
    connector,
    restart: replay.restart === null ? null : `${connector} ${replay.at}`,
  });

const more: MoreOfIt = {
  // Those of the window's own scene have no replays.
  restarts: false,
  of(known, now, began) {
    const duplicates = duplicatesOf(states[known.connector] ?? "none", now, began);
    if (!duplicates) return { ...known, duplicates: { ...refusedWindow(now), value: null } };
    const replays = duplicates.replays.map(named(known.connector));
    const topics = duplicates.topics.map((topic) => ({ ...topic, falls: [] }));
    return { ...known, duplicates: seen({ topics, replays }, now, 4_000) };
  },
  async fillPast(db, began) {
    for (const [connector, state] of Object.entries(states)) {
      await saveReplays(db, replaysOf(state, began).map(named(connector)));
      for (const restart of duplicatesRestarts(state, began))
        await saveRestart(db, { ...restart, connector, id: `${connector} ${restart.at}` });
    }
  },
};

/** The built pages over replay windows and duplicates together, as the README shows them. */
export const startReadmeScene = () => startWindowScene(more);
