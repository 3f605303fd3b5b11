/** A record taken out of its batch. For a walk over many, see the cursor that it is made by. */
export interface LogRecord {
  offset: number;
  /** Milliseconds since 1970; by which clock its batch tells. */
  timestamp: number;
  key: Buffer | null;
  value: Buffer | null;
  /** In the order written; a name can occur twice. */
  headers: { name: string; value: Buffer | null }[];
}
