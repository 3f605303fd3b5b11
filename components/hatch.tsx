/** The pattern of what is not known; used as `url(#id)`. */
export function Hatch({ id }: { id: string }) {
  return (
    <defs>
      <pattern id={id} width="7" height="7" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
        <rect width="7" height="7" fill="var(--unknown-soft)" />
        <line x1="0" x2="0" y1="0" y2="7" stroke="var(--unknown)" strokeWidth="1.4" strokeOpacity="0.55" />
      </pattern>
    </defs>
  );
}
