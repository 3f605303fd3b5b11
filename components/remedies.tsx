import { asSentence } from "@/lib/views/format";

/** What to do so that looks which failed can succeed. */
export function Remedies({ remedies }: { remedies: readonly string[] }) {
  if (remedies.length === 0) return null;
  return (
    <div className="border-t border-line px-4 py-2.5">
      <h3 className="text-xs font-semibold text-text-3">What to do</h3>
      {remedies.map((remedy) => (
        <p key={remedy}>{asSentence(remedy)}</p>
      ))}
    </div>
  );
}
