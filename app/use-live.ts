"use client";

import { useQuery } from "@tanstack/react-query";
import type { Trouble } from "@/components/watch-banner";
import type { AnswerError } from "@/lib/views/error-answer";
import type { Watch } from "@/lib/views/watch";
import type { Answer } from "./answer";
import { errorOf } from "./error-of";

const pollMs = { busy: 2_000, calm: 5_000 };
/** So long after the last change the page still counts as busy. */
const busyMs = 30_000;
const timeoutMs = 15_000;

interface Live {
  watch: Watch;
  changedAt: string | null;
}

/** The API answered with an error of its own. */
class AnsweredError extends Error {
  constructor(readonly answered: AnswerError) {
    super(answered.sentence);
  }
}

export async function ask<T>(url: string, signal: AbortSignal): Promise<T> {
  return answered(await fetch(url, { signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]) }));
}

/** Asks for something to be done. */
export async function post<T>(url: string, body: unknown): Promise<T> {
  const headers = { "Content-Type": "application/json" };
  const signal = AbortSignal.timeout(timeoutMs);
  return answered(await fetch(url, { method: "POST", headers, body: JSON.stringify(body), signal }));
}

async function answered<T>(response: Response): Promise<T> {
  const body: unknown = await response.json();
  if (response.ok) return body as T;
  const error = errorOf(body);
  if (error) throw new AnsweredError(error);
  throw new Error(`HTTP ${response.status}`);
}

function interval(view: Live | undefined, failed: boolean): number {
  if (failed || !view?.changedAt) return failed ? pollMs.busy : pollMs.calm;
  const busy = Date.parse(view.watch.now) - Date.parse(view.changedAt) < busyMs;
  return busy ? pollMs.busy : pollMs.calm;
}

export interface LiveData<T> {
  /** The newest good data; it stays when a later request fails. */
  view: T | undefined;
  /** When it arrived, by the browser's clock. */
  receivedAt: number;
  trouble: Trouble | null;
}

export function troubleOf(error: Error | null): Trouble | null {
  if (!error) return null;
  return error instanceof AnsweredError ? { kind: "answer", error: error.answered } : { kind: "no-answer" };
}

/**
 * A page's data: what the server rendered with, then polled. Stops while the tab is hidden, asks at once on return.
 * @param initial null when the server could not wait for the database
 */
export function useLive<T extends Live>(url: string, initial: Answer<T> | null): LiveData<T> {
  const query = useQuery<T>({
    queryKey: [url],
    queryFn: ({ signal }) => ask<T>(url, signal),
    initialData: initial?.ok ? initial.view : undefined,
    refetchInterval: (q) => interval(q.state.data as Live | undefined, q.state.status === "error"),
    refetchIntervalInBackground: false,
    refetchOnWindowFocus: "always",
    refetchOnReconnect: "always",
  });
  const first = initial && !initial.ok && query.isLoading ? initial.error : null;
  return {
    view: query.data,
    receivedAt: query.dataUpdatedAt,
    trouble: troubleOf(query.error) ?? (first ? { kind: "answer", error: first } : null),
  };
}
