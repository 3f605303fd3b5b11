const MAX_CHARACTERS = 200;

/**
 * The title of a page, or the first line of a text that has any, as plain text of at most 200 characters.
 * Scripts, styles and tags are dropped; control and direction characters too.
 */
export function titleOrFirstLine(body: string): string {
  const title = /<title[^>]*>([\s\S]*?)<\/title/i.exec(body)?.[1];
  if (title !== undefined && withoutTags(title).trim() !== "") return shortened(withoutTags(title));
  const lines = withoutTags(body.replace(/<(script|style)\b[\s\S]*?(?:<\/\1\s*>|$)/gi, "\n")).split(
    /[\r\n]+/,
  );
  return shortened(lines.find((line) => line.trim() !== "") ?? "");
}

/** The first line of a message, made safe in the same way. */
export function firstLine(message: string): string {
  return shortened(message.split(/[\r\n]+/).find((line) => line.trim() !== "") ?? "");
}

function withoutTags(html: string): string {
  return html
    .replace(/<!--[\s\S]*?(?:-->|$)/g, " ")
    .replace(/<\/?(?:p|h\d|div|li|br|pre|tr|table|body|head)\b[^<>]*>/gi, "\n")
    .replace(/<[^<>]*(?:>|$)/g, " ")
    .replace(/&nbsp;/g, " ")
    .replace(/&quot;/g, '"')
    .replace(/&(?:#39|apos);/g, "'")
    .replace(/&amp;/g, "&");
}

function shortened(text: string): string {
  // \p{C}: control, format (direction marks) and unassigned characters.
  const plain = text.replace(/\p{C}/gu, " ").replace(/\s+/g, " ").trim();
  return plain.length > MAX_CHARACTERS ? `${plain.slice(0, MAX_CHARACTERS - 1)}…` : plain;
}
