"use client";

import { CircleHelp, X } from "lucide-react";
import { useRouter } from "next/navigation";
import { Dialog } from "radix-ui";
import { useEffect, useRef, useState } from "react";
import { decodePath, fleetPath, measurePath, schemaHistoryPath, statusPath } from "@/lib/views/paths";

/** After `g`, the second key must follow within this time, in milliseconds. */
const chordMs = 1_200;

const places: Readonly<Record<string, { path: string; name: string }>> = {
  f: { path: fleetPath, name: "Fleet" },
  s: { path: schemaHistoryPath, name: "Schema history" },
  m: { path: measurePath, name: "Measure" },
  d: { path: decodePath, name: "Decode" },
  t: { path: statusPath, name: "Status" },
};

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && target.closest("input, textarea, select, [contenteditable]") !== null
  );
}

function focusSearch(): boolean {
  const search = document.querySelector<HTMLInputElement>("[data-search]");
  search?.focus();
  search?.select();
  return search !== null;
}

function useShortcuts(openHelp: () => void): void {
  const router = useRouter();
  const chordAt = useRef(0);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      const place = places[event.key];
      const inChord = event.timeStamp - chordAt.current < chordMs;
      chordAt.current = event.key === "g" ? event.timeStamp : 0;
      if (inChord && place) router.push(place.path);
      else if (event.key === "?") openHelp();
      else if (event.key !== "/" || !focusSearch()) return;
      event.preventDefault();
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, [router, openHelp]);
}

function Keys({ keys }: { keys: readonly string[] }) {
  return (
    <span className="flex gap-1">
      {keys.map((key) => (
        <kbd
          key={key}
          className="min-w-6 rounded-[4px] border border-line-strong bg-sunken px-1.5 text-center font-mono text-xs"
        >
          {key}
        </kbd>
      ))}
    </span>
  );
}

const rows: readonly [keys: readonly string[], what: string][] = [
  [["/"], "Search on this page"],
  ...Object.entries(places).map(([key, { name }]): [string[], string] => [["g", key], `Go to ${name}`]),
  [["?"], "This help"],
  [["Esc"], "Close"],
];

/** Listens for keyboard shortcuts and lists them in a dialog. */
export function Shortcuts() {
  const [open, setOpen] = useState(false);
  const [openHelp] = useState(() => () => setOpen(true));
  useShortcuts(openHelp);
  return (
    <Dialog.Root open={open} onOpenChange={setOpen}>
      <Dialog.Trigger
        className="rounded-card p-1.5 text-text-2 hover:bg-sunken"
        aria-label="Keyboard shortcuts"
        title="Keyboard shortcuts   ?"
      >
        <CircleHelp size={16} aria-hidden="true" />
      </Dialog.Trigger>
      <Dialog.Portal>
        <Dialog.Overlay className="fixed inset-0 bg-shade" />
        <Dialog.Content
          aria-describedby={undefined}
          className="fixed top-1/2 left-1/2 w-88 max-w-[calc(100vw-24px)] -translate-x-1/2 -translate-y-1/2 rounded-card border border-line bg-surface p-4"
        >
          <div className="mb-3 flex items-center justify-between">
            <Dialog.Title className="text-lg font-semibold">Keyboard</Dialog.Title>
            <Dialog.Close aria-label="Close" className="rounded-card p-1 text-text-2 hover:bg-sunken">
              <X size={16} aria-hidden="true" />
            </Dialog.Close>
          </div>
          <dl className="grid grid-cols-[max-content_1fr] gap-x-6 gap-y-2">
            {rows.map(([keys, what]) => (
              <div key={what} className="contents">
                <dt>
                  <Keys keys={keys} />
                </dt>
                <dd className="text-text-2">{what}</dd>
              </div>
            ))}
          </dl>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
