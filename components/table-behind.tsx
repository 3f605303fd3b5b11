"use client";

import { useState } from "react";
import { ScrollBox } from "./scroll-box";

/** The table behind a chart, made when it is asked for: it may have hundreds of rows. */
export function TableBehind({ of, children }: { of: string; children: () => React.ReactNode }) {
  const [open, setOpen] = useState(false);
  return (
    <details className="print:hidden mt-1" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="w-max text-sm text-accent hover:underline">
        As a table<span className="sr-only">: {of}</span>
      </summary>
      {open ? (
        <ScrollBox label={of} className="mt-1.5 max-h-96 overflow-y-auto">
          <table className="data-table">
            <caption className="sr-only">{of}</caption>
            {children()}
          </table>
        </ScrollBox>
      ) : null}
    </details>
  );
}
