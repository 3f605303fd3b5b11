/**
 * A record taken out of its batch. For a walk over many, see the cursor that it is made by.
 * Its buffers are views of the fetched answer (or of the uncompressed batch): copy what is to outlive it.
 */
export interface LogRecord {
  offset: number;
  /** Milliseconds since 1970, -1 for none; by which clock its batch tells. */
  timestamp: number;
  key: Buffer | null;
  value: Buffer | null;
  /** In the order written; a name can occur twice. */
  headers: { name: string; value: Buffer | null }[];
}
