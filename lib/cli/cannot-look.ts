/** What keeps a look from being made at all, as a sentence. */
export class CannotLookError extends Error {}
