"use client";

import { Check, Copy } from "lucide-react";
import { useEffect, useState } from "react";

const shownMs = 1_600;

/** Copies with the clipboard API, which browsers give to https and loopback pages only; else by a selection. */
async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = document.createElement("textarea");
    area.value = text;
    area.className = "sr-only";
    document.body.append(area);
    area.select();
    const copied = document.execCommand("copy");
    area.remove();
    return copied;
  }
}

/** Copies `text`; says so, or that it could not. `label` names what is copied for readers that cannot see. */
export function CopyButton({
  text,
  label,
  children,
}: {
  text: string | (() => string);
  label: string;
  children?: React.ReactNode;
}) {
  const [result, setResult] = useState<"copied" | "failed" | null>(null);
  useEffect(() => {
    if (!result) return;
    const timer = setTimeout(() => setResult(null), shownMs);
    return () => clearTimeout(timer);
  }, [result]);
  const Icon = result === "copied" ? Check : Copy;
  const shape = children
    ? "gap-1.5 rounded-card border border-line-strong bg-surface px-3 py-1 font-semibold"
    : "rounded-[4px] p-1 text-text-3 hover:bg-sunken hover:text-text";
  return (
    <button
      type="button"
      className={`print:hidden inline-flex flex-none items-center ${shape}`}
      aria-label={children ? undefined : `Copy ${label}`}
      title={`Copy ${label}`}
      onClick={async () => {
        const copied = await copyText(typeof text === "string" ? text : text());
        setResult(copied ? "copied" : "failed");
      }}
    >
      <Icon size={14} aria-hidden="true" className={result === "copied" ? "text-ok" : undefined} />
      {children}
      <span className="sr-only" role="status">
        {result === "copied" ? "Copied" : result === "failed" ? "Could not be copied" : ""}
      </span>
    </button>
  );
}
