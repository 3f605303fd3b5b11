import type { ReplayWindowSection } from "@/lib/views/replay-window-schema";
import { CodeText } from "./code-text";
import { StatusShape } from "./status-mark";

/** So many notes stand in the open; the others are behind a disclosure. */
const open = 2;

function Note({ text }: { text: string }) {
  return (
    <li>
      <CodeText text={text} />
    </li>
  );
}

/** What a person should know beside the figure, the most important first. */
export function ReplayWindowNotes({ section }: { section: ReplayWindowSection }) {
  const { words, window } = section;
  if (!words || !window || words.notes.length === 0) return null;
  const [first, ...rest] = words.notes;
  const marked = window.kind === "unknown" ? "unknown" : window.standsStill ? "info" : null;
  const more = rest.slice(open - 1);
  return (
    <div className="mt-1.5 max-w-[92ch] text-text-2">
      {first ? (
        <p className="flex items-baseline gap-2">
          {marked ? <StatusShape outcome={marked} /> : null}
          <span>
            <CodeText text={first} />
          </span>
        </p>
      ) : null}
      <ul className="mt-0.5 grid gap-0.5 text-sm">
        {rest.slice(0, open - 1).map((text) => (
          <Note key={text} text={text} />
        ))}
      </ul>
      {more.length > 0 ? (
        <details className="mt-0.5">
          <summary className="text-sm text-accent hover:underline">What else bounds this figure</summary>
          <ul className="mt-0.5 grid gap-0.5 text-sm">
            {more.map((text) => (
              <Note key={text} text={text} />
            ))}
          </ul>
        </details>
      ) : null}
    </div>
  );
}
