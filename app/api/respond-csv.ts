import { replaysCsv } from "@/lib/views/duplicates-csv";
import type { ReplayLine } from "@/lib/views/duplicates-schema";

/** A name for a file on any system: what is hard to write in a header or a path becomes `_`. */
function fileName(name: string): string {
  return `${name.replaceAll(/[^A-Za-z0-9._-]+/g, "_").slice(0, 120)}.csv`;
}

/** Replays as a file to keep. */
export function respondCsv(replays: readonly ReplayLine[], name: string): Response {
  return new Response(replaysCsv(replays), {
    headers: {
      "Content-Type": "text/csv; charset=utf-8; header=present",
      "Content-Disposition": `attachment; filename="${fileName(name)}"`,
      "Cache-Control": "no-store",
    },
  });
}
