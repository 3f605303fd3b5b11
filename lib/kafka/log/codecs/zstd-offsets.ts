import { CodecError } from "./codec-error";

/** The last three offsets of matches, which the next ones may repeat (RFC 8878, 3.1.1.5). */
export class RecentOffsets {
  private first = 1;
  private second = 4;
  private third = 8;

  reset(): void {
    this.first = 1;
    this.second = 4;
    this.third = 8;
  }

  take(offset: number): number {
    this.third = this.second;
    this.second = this.first;
    this.first = offset;
    return offset;
  }

  /** `value` is 1 to 3; without literals before it, each means the next one. @throws CodecError for an offset of 0 */
  repeat(value: number, noLiterals: boolean): number {
    const which = noLiterals ? value + 1 : value;
    if (which === 1) return this.first;
    const offset = which === 2 ? this.second : which === 3 ? this.third : this.first - 1;
    if (offset === 0) throw new CodecError("a match repeats nothing");
    if (which > 2) this.third = this.second;
    this.second = this.first;
    this.first = offset;
    return offset;
  }
}
