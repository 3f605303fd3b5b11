/** One answer's batches must fit into what the connection takes as an answer (64 MiB), with room for the rest of it. */
export const mostFetchBytes = 60 * 1024 * 1024;
/** Over a slow network less is asked for until answers come in time, but never less than this. */
const LEAST_BYTES = 64 * 1024;
/**
 * Bytes that may be asked of one broker at a time. It answers one fetch of a connection after the other, and one that waits
 * behind many others would be given up as unanswered over a slow network.
 */
const BYTES_AT_ONCE = 16 * 1024 * 1024;
/** The least that a fetch counts for: even one of a byte brings a whole batch. */
const FEWEST_BYTES = 256 * 1024;

interface Waiting {
  bytes: number;
  enter(): void;
}

/** Lets fetches through to each broker in the order they come, as long as they ask for no more than is allowed at a time. */
export class FetchGate {
  /** The most that one fetch may ask for. */
  mostBytes = mostFetchBytes;
  private readonly brokers = new Map<number, { bytes: number; line: Waiting[] }>();

  /** Does the work when its turn comes. @throws what it throws; the signal's reason when aborted before its turn */
  async run<T>(
    broker: number,
    maxBytes: number,
    signal: AbortSignal | undefined,
    work: () => Promise<T>,
  ): Promise<T> {
    const bytes = Math.max(maxBytes, FEWEST_BYTES);
    await this.turn(broker, bytes);
    try {
      signal?.throwIfAborted();
      return await work();
    } finally {
      this.leave(broker, bytes);
    }
  }

  /** A fetch of so many bytes was not answered in time; that of a small one is not for its size. */
  tooLate(bytes: number): void {
    if (bytes > LEAST_BYTES) this.mostBytes = Math.max(LEAST_BYTES, Math.floor(bytes / 2));
  }

  /** One was: a little more may be asked for. */
  inTime(): void {
    this.mostBytes = Math.min(mostFetchBytes, Math.ceil(this.mostBytes * 1.0625));
  }

  private turn(broker: number, bytes: number): Promise<void> | undefined {
    const under = this.brokers.get(broker) ?? { bytes: 0, line: [] };
    this.brokers.set(broker, under);
    if (under.line.length === 0 && (under.bytes === 0 || under.bytes + bytes <= BYTES_AT_ONCE)) {
      under.bytes += bytes;
      return undefined;
    }
    return new Promise((enter) => under.line.push({ bytes, enter }));
  }

  private leave(broker: number, bytes: number): void {
    const under = this.brokers.get(broker);
    if (!under) return;
    under.bytes -= bytes;
    for (let [next] = under.line; next; [next] = under.line) {
      if (under.bytes > 0 && under.bytes + next.bytes > BYTES_AT_ONCE) return;
      under.line.shift();
      under.bytes += next.bytes;
      next.enter();
    }
  }
}
