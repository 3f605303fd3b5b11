import { sparklinePath, sparkSize } from "./sparkline-path";

/** How a figure was lately, beside the figure: decoration for those who see it. Its room stays when there is nothing to draw. */
export function Sparkline({ values }: { values: readonly (number | null)[] }) {
  const { width, height } = sparkSize;
  return (
    <svg
      aria-hidden="true"
      width={width}
      height={height}
      viewBox={`0 0 ${width} ${height}`}
      className="flex-none"
    >
      <path
        d={sparklinePath(values)}
        fill="none"
        stroke="var(--accent)"
        strokeWidth="1.4"
        strokeLinejoin="round"
        strokeLinecap="round"
      />
    </svg>
  );
}
