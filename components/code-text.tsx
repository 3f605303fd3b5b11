/** A sentence in which `quoted` parts stand as code. */
export function CodeText({ text }: { text: string }) {
  const parts = text.split(/`([^`]+)`/);
  return parts.map((part, index) =>
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one sentence never move
    index % 2 === 1 ? <code key={index}>{part}</code> : part,
  );
}
