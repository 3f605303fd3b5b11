/** Something shown on demand, at the foot of a panel. */
export function Disclosure({ summary, children }: { summary: React.ReactNode; children: React.ReactNode }) {
  return (
    <details className="border-t border-line">
      <summary className="px-4 py-2 text-accent hover:underline">{summary}</summary>
      <div className="px-4 pt-1 pb-4">{children}</div>
    </details>
  );
}
