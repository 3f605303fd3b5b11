const MB = 1024 * 1024;
/** Smaller answers are not worth the trouble. */
const SMALLEST = MB;
const MOST_SPARE = 4;

/**
 * Memory for answers, used again where their reader says that nobody looks at them any more: new memory for each answer
 * of a long read makes the engine collect garbage every few answers. What is spare goes at the next collection.
 */
export class AnswerMemory {
  private readonly lent = new WeakSet<ArrayBufferLike>();
  private spare: WeakRef<Buffer>[] = [];

  /** Uninitialised, and never from Node's pool of small buffers: a view that is kept keeps nothing else alive. */
  take(bytes: number): Buffer {
    if (bytes < SMALLEST) return Buffer.allocUnsafeSlow(bytes);
    const memory = this.fromSpare(bytes) ?? Buffer.allocUnsafeSlow(Math.ceil(bytes / MB) * MB);
    this.lent.add(memory.buffer);
    return memory.subarray(0, bytes);
  }

  /** Takes back the memory that this is a view of, if it came from here; its bytes change from now on. */
  giveBack(view: Buffer): void {
    if (!this.lent.delete(view.buffer)) return;
    this.spare = this.spare.filter((ref) => ref.deref() !== undefined).slice(1 - MOST_SPARE);
    this.spare.push(new WeakRef(Buffer.from(view.buffer)));
  }

  private fromSpare(bytes: number): Buffer | undefined {
    const at = this.spare.findIndex((ref) => {
      const length = ref.deref()?.length ?? 0;
      return length >= bytes && length <= 2 * bytes + MB;
    });
    return at < 0 ? undefined : this.spare.splice(at, 1)[0]?.deref();
  }
}
