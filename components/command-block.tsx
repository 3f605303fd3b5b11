import { CopyButton } from "./copy-button";
import { ScrollBox } from "./scroll-box";

/** A command or raw text to paste, with its copy button. Long lines scroll; `wrap` breaks them instead. */
export function CommandBlock({ text, label, wrap = false }: { text: string; label: string; wrap?: boolean }) {
  const lines = wrap ? "whitespace-pre-wrap [overflow-wrap:anywhere]" : "w-max min-w-full whitespace-pre";
  return (
    <div className="mt-1.5 flex items-start rounded-[4px] bg-sunken">
      <div className="min-w-0 flex-1">
        <ScrollBox label={label} className="max-h-96 overflow-y-auto print:max-h-none">
          <pre
            className={`px-2.5 py-2 text-xs leading-normal print:whitespace-pre-wrap print:[overflow-wrap:anywhere] ${lines}`}
          >
            {text}
          </pre>
        </ScrollBox>
      </div>
      <span className="p-1">
        <CopyButton text={text} label={label} />
      </span>
    </div>
  );
}
