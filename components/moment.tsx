"use client";

import { useHydrated } from "./clock";
import { utcText } from "./utc-text";

function localText(at: string): string {
  const date = new Date(at);
  const now = new Date();
  if (date.toDateString() === now.toDateString())
    return new Intl.DateTimeFormat(undefined, { timeStyle: "medium" }).format(date);
  const year = date.getFullYear() === now.getFullYear() ? undefined : "numeric";
  const day: Intl.DateTimeFormatOptions = { day: "numeric", month: "short", year };
  const time: Intl.DateTimeFormatOptions = { hour: "numeric", minute: "2-digit", second: "2-digit" };
  return new Intl.DateTimeFormat(undefined, { ...day, ...time }).format(date);
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
