import { CopyButton } from "./copy-button";

/** A command or raw text to paste, with its copy button. */
export function CommandBlock({ text, label }: { text: string; label: string }) {
  return (
    <div className="mt-1.5 flex items-start gap-1 rounded-[4px] bg-sunken">
      <pre className="min-w-0 flex-1 px-2.5 py-2 text-xs leading-normal whitespace-pre-wrap [overflow-wrap:anywhere]">
        {text}
      </pre>
      <span className="p-1">
        <CopyButton text={text} label={label} />
      </span>
    </div>
  );
}
