/** Before a bigint's digits; a text that begins with it gets another one in front. */
const mark = "#";

/** A position as text, its bigints exact. Positions are plain objects, lists, texts, numbers, bigints and null. */
export function positionJson(position: unknown): string {
  return JSON.stringify(position, (_key, value: unknown) => {
    if (typeof value === "bigint") return `${mark}${value}`;
    return typeof value === "string" && value.startsWith(mark) ? `${mark}${value}` : value;
  });
}

/** The position that {@link positionJson} wrote. @throws SyntaxError for what it did not write */
export function positionIn(text: string): unknown {
  return JSON.parse(text, (_key, value: unknown) => {
    if (typeof value !== "string" || !value.startsWith(mark)) return value;
    return value.startsWith(`${mark}${mark}`) ? value.slice(1) : BigInt(value.slice(1));
  });
}
