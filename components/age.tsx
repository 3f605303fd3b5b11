"use client";

import { formatAge } from "@/lib/views/format";
import { useNow } from "./clock";
import { utcText } from "./utc-text";

/** How long ago something was, ticking: `12 s`. The moment itself, in UTC, on hover, or `title`. */
export function Age({ at, suffix = "", title }: { at: string; suffix?: string; title?: string }) {
  const now = useNow();
  return (
    <time dateTime={at} title={title ?? utcText(at)} className="whitespace-nowrap">
      {formatAge(now - Date.parse(at), suffix)}
    </time>
  );
}
