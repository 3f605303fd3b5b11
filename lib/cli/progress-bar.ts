import type { Progress } from "./progress";

/** A bar is drawn anew after so long, a line written, in milliseconds. */
const DRAW_MS = 100;
const LINE_MS = 3_000;
const CELLS = 24;

/** What is done of how much, and what a person wants to know beside it. */
export interface Done {
  done: number;
  /** Null: not known, as of standard input. */
  total: number | null;
  /** `12 MiB read, 3 replays` */
  beside: string;
}

export interface ProgressBar extends Progress {
  at(done: Done): void;
}

/** Where it is drawn: a terminal, or a log that keeps each line. */
export interface BarStream {
  isTTY?: boolean;
  columns?: number;
  write(text: string): unknown;
}

/** Draws a bar over itself on a terminal; elsewhere it writes a line every three seconds, and none for what is quick. */
export function openProgressBar(command: string, stream: BarStream, now = Date.now): ProgressBar {
  const terminal = stream.isTTY === true;
  let stage = "";
  let drawn = 0;
  let last = now();
  const began = last;
  const seconds = () => Math.round((now() - began) / 1_000);

  function show(text: string): void {
    const every = terminal ? DRAW_MS : LINE_MS;
    if (now() - last < every) return;
    last = now();
    if (!terminal) {
      stream.write(`${command}: ${text} (${seconds()} s)\n`);
      return;
    }
    const line = text.slice(0, Math.max(20, (stream.columns ?? 80) - 1));
    stream.write(`\r${line}${" ".repeat(Math.max(0, drawn - line.length))}`);
    drawn = line.length;
  }

  return {
    stage(text) {
      stage = text;
      show(text);
    },
    at({ done, total, beside }) {
      const share = total === null ? null : total === 0 ? 1 : Math.min(1, done / total);
      const percent = share === null ? "" : `${Math.floor(share * 100)} %`;
      const bar = share === null || !terminal ? "" : `${barOf(share)} `;
      show(`${bar}${[percent, stage, beside].filter((part) => part !== "").join(", ")}`);
    },
    end() {
      if (drawn > 0) stream.write(`\r${" ".repeat(drawn)}\r`);
      drawn = 0;
    },
  };
}

function barOf(share: number): string {
  const full = Math.floor(share * CELLS);
  return `[${"#".repeat(full)}${".".repeat(CELLS - full)}]`;
}
