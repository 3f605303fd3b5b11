"use client";

import { formatDuration } from "@/lib/views/format";
import { useNow } from "./clock";
import { utcText } from "./utc-text";

/** How long ago something was, ticking: `12 s`. The moment itself, in UTC, on hover. */
export function Age({ at, suffix = "" }: { at: string; suffix?: string }) {
  const now = useNow();
  return (
    <time dateTime={at} title={utcText(at)} className="whitespace-nowrap">
      {formatDuration(now - Date.parse(at))}
      {suffix}
    </time>
  );
}
