"use client";

import { useHydrated } from "./clock";
import { utcText } from "./utc-text";

function localText(at: string): string {
  const date = new Date(at);
  const day = date.toDateString() === new Date().toDateString() ? undefined : "medium";
  return new Intl.DateTimeFormat(undefined, { dateStyle: day, timeStyle: "medium" }).format(date);
}

/** A moment in the reader's own zone, UTC on hover. The server, which does not know that zone, writes UTC. */
export function Moment({ at }: { at: string }) {
  const hydrated = useHydrated();
  return (
    <time dateTime={at} title={utcText(at)} className="whitespace-nowrap">
      {hydrated ? localText(at) : utcText(at)}
    </time>
  );
}
