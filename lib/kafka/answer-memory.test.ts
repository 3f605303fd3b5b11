import { describe, expect, test } from "vitest";
import { AnswerMemory } from "./answer-memory";

const MB = 1024 * 1024;

describe("the memory of an answer", () => {
  test("is used again once it was given back, by whatever view of it", () => {
    const memory = new AnswerMemory();
    const first = memory.take(2 * MB);
    expect(memory.take(2 * MB).buffer).not.toBe(first.buffer);
    memory.giveBack(first.subarray(100, 200));
    const again = memory.take(2 * MB - 5);
    expect(again.buffer).toBe(first.buffer);
    expect(again.length).toBe(2 * MB - 5);
    expect(memory.take(2 * MB).buffer).not.toBe(first.buffer);
  });

  test("is not used twice at a time, though it was given back twice", () => {
    const memory = new AnswerMemory();
    const first = memory.take(2 * MB);
    memory.giveBack(first);
    memory.giveBack(first);
    expect(memory.take(2 * MB).buffer).not.toBe(memory.take(2 * MB).buffer);
  });

  test("is not taken from elsewhere, and small answers have their own", () => {
    const memory = new AnswerMemory();
    const foreign = Buffer.allocUnsafeSlow(2 * MB);
    memory.giveBack(foreign);
    expect(memory.take(2 * MB).buffer).not.toBe(foreign.buffer);
    const small = memory.take(100);
    expect(small.buffer.byteLength).toBe(100);
    memory.giveBack(small);
    expect(memory.take(100).buffer).not.toBe(small.buffer);
  });

  test("is not used for answers that would waste most of it", () => {
    const memory = new AnswerMemory();
    const large = memory.take(60 * MB);
    memory.giveBack(large);
    expect(memory.take(2 * MB).buffer).not.toBe(large.buffer);
    expect(memory.take(50 * MB).buffer).toBe(large.buffer);
  });
});
