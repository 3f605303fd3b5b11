"use client";

import { createContext, useContext, useSyncExternalStore } from "react";

/** The server's time and the browser's time at the moment when the shown data arrived, in milliseconds. */
interface Arrival {
  serverNow: number;
  receivedAt: number;
}

const ArrivalOf = createContext<Arrival | null>(null);

const tickMs = 1_000;

/** One timer for every age on the page; it stops when none is shown. */
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

function subscribeToTicks(changed: () => void): () => void {
  listeners.add(changed);
  timer ??= setInterval(() => {
    for (const listener of listeners) listener();
  }, tickMs);
  return () => {
    listeners.delete(changed);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

function never(): () => void {
  return () => {};
}

/** False on the server and while hydrating, true afterwards: what may differ between the two waits for it. */
export function useHydrated(): boolean {
  return useSyncExternalStore(
    never,
    () => true,
    () => false,
  );
}

/** Gives its children the time by the server's clock, so that a wrong clock in the browser shows no wrong age. */
export function ClockOf({
  serverNow,
  receivedAt,
  children,
}: {
  serverNow: string;
  receivedAt: number;
  children: React.ReactNode;
}) {
  return <ArrivalOf value={{ serverNow: Date.parse(serverNow), receivedAt }}>{children}</ArrivalOf>;
}

/** Now, in milliseconds by the server's clock; ticks each second. */
export function useNow(): number {
  const arrival = useContext(ArrivalOf);
  const tick = useSyncExternalStore(
    subscribeToTicks,
    () => Math.floor(Date.now() / tickMs) * tickMs,
    () => null,
  );
  if (tick === null) return arrival?.serverNow ?? 0;
  if (!arrival) return tick;
  return arrival.serverNow + Math.max(0, tick - arrival.receivedAt);
}
