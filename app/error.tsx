"use client";

/** A fault of the page itself: what has been stored is not touched by it. */
export default function PageError({ reset }: { error: Error; reset: () => void }) {
  return (
    <div className="rounded-card border border-critical bg-critical-soft p-4">
      <h1 className="text-xl font-bold tracking-tight">This page failed</h1>
      <p className="mt-1 max-w-[78ch]">
        A fault of Tidemark's own; your connectors and what is stored are not touched by it. The log of the
        web process says more.
      </p>
      <button
        type="button"
        onClick={reset}
        className="mt-3 rounded-card border border-line-strong bg-surface px-3 py-1 font-semibold"
      >
        Try again
      </button>
    </div>
  );
}
