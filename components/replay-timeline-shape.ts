import { formatCount } from "@/lib/views/format";
import type { ReplayGroup } from "@/lib/views/replay-groups";

/** One bar of the time line: what came again at about one time. */
export interface TimelineBar {
  /** Milliseconds since 1970. */
  at: number;
  count: number;
  /** Groups in it, the largest first. */
  groups: ReplayGroup[];
}

/** Bars that fit beside each other. */
const mostBars = 160;

/**
 * Where the axis begins, milliseconds since 1970: at `from`, or a little before `since` where so little of the time is known that
 * it would be a sliver at the edge.
 */
export function axisFrom(from: number, to: number, since: number): number {
  const known = to - since;
  return known < (to - from) / 10 ? Math.max(from, since - Math.max(known / 3, 60_000)) : from;
}

/** The bars from `from` to `to`, milliseconds since 1970: groups that lie too close to be told apart share one. */
export function timelineBars(groups: readonly ReplayGroup[], from: number, to: number): TimelineBar[] {
  const width = Math.max(1, (to - from) / mostBars);
  const bars = new Map<number, TimelineBar>();
  for (const group of groups) {
    const at = Date.parse(group.at);
    if (at < from || at > to) continue;
    const slot = Math.floor((at - from) / width);
    const bar = bars.get(slot);
    if (bar) {
      bar.count += group.count;
      bar.groups.push(group);
    } else bars.set(slot, { at, count: group.count, groups: [group] });
  }
  return [...bars.values()]
    .map((bar) => ({ ...bar, groups: bar.groups.sort((a, b) => b.count - a.count) }))
    .sort((a, b) => a.at - b.at);
}

/** `39,812`: where the whole name has no room. */
export function barCount({ count }: TimelineBar): string {
  return formatCount(count);
}

/** `39,812 · crash`; `64,357 · crash and 2 more`. */
export function barName({ count, groups }: TimelineBar): string {
  const [first, ...others] = groups;
  const more = others.length > 0 ? ` and ${others.length} more` : "";
  const cause = first && first.cause !== "unknown" ? ` · ${first.causeName}` : "";
  return `${formatCount(count)}${cause}${more}`;
}
