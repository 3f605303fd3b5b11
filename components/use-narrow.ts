"use client";

import { useSyncExternalStore } from "react";

/** Below the breakpoint `md`, as app/tokens.css has it. */
const query = "(max-width: 719px)";

function subscribe(changed: () => void): () => void {
  const media = window.matchMedia(query);
  media.addEventListener("change", changed);
  return () => media.removeEventListener("change", changed);
}

/** Whether the window is as narrow as a phone; false on the server. */
export function useNarrow(): boolean {
  return useSyncExternalStore(
    subscribe,
    () => window.matchMedia(query).matches,
    () => false,
  );
}
