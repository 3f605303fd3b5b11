/** A grey block of the size of what will stand there. */
function Skeleton({ className }: { className: string }) {
  return <div aria-hidden="true" className={`rounded-card bg-sunken ${className}`} />;
}

/** A page that waits for its first answer: heading and panels in their final size. */
export function PageSkeleton({ panels }: { panels: readonly string[] }) {
  return (
    <div role="status" aria-label="Loading">
      <Skeleton className="mb-4 h-8 w-72 max-w-full" />
      <div className="grid gap-3.5">
        {panels.map((size) => (
          <Skeleton key={size} className={`w-full border border-line ${size}`} />
        ))}
      </div>
    </div>
  );
}
