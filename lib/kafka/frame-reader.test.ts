import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { AnswerMemory } from "./answer-memory";
import { FrameReader, MAX_ANSWER_BYTES, type NotKafkaError } from "./frame-reader";

function framed(answer: Uint8Array): Buffer {
  const prefix = Buffer.alloc(4);
  prefix.writeInt32BE(answer.length);
  return Buffer.concat([prefix, answer]);
}

/** Feeds it as a socket does: never more than there is room for, in pieces of the sizes given. */
function feed(bytes: Buffer, sizes: readonly number[]): { frames: Buffer[]; faults: NotKafkaError[] } {
  const frames: Buffer[] = [];
  const faults: NotKafkaError[] = [];
  const reader = new FrameReader(
    new AnswerMemory(),
    (frame) => frames.push(frame),
    (fault) => faults.push(fault),
  );
  let turn = 0;
  for (let at = 0; at < bytes.length && faults.length === 0; turn++) {
    const room = reader.room();
    expect(room.length).toBeGreaterThan(0);
    const taken = bytes.copy(room, 0, at, Math.min(bytes.length, at + (sizes[turn % sizes.length] ?? 1)));
    reader.took(taken);
    at += taken;
  }
  return { frames, faults };
}

describe("answers", () => {
  test("come out as they went in, whatever pieces they come in", () => {
    const answers = fc.array(fc.uint8Array({ maxLength: 50 }), { maxLength: 20 });
    const sizes = fc.array(fc.integer({ min: 1, max: 70 }), { minLength: 1, maxLength: 9 });
    fc.assert(
      fc.property(answers, sizes, (list, pieces) => {
        const expected = list.map(framed);
        expect(feed(Buffer.concat(expected), pieces)).toEqual({ frames: expected, faults: [] });
      }),
    );
  });

  test("each keep their bytes while the next comes", () => {
    const [one, two] = [framed(Buffer.from("one")), framed(Buffer.from("two"))];
    const { frames } = feed(Buffer.concat([one, two]), [100]);
    expect(frames[0]?.buffer).not.toBe(frames[1]?.buffer);
    expect(frames).toEqual([one, two]);
  });

  test.each([
    ["HTTP/1.1", "NOT_KAFKA", `its answer begins with "HTTP"`],
    ["\x15\x03\x03\x00", "WANTS_TLS", "it answered in TLS"],
    ["\xff\xff\xff\xff", "TOO_LARGE", "its answer claims to have -1 bytes"],
    ["\x04\x00\x00\x01", "TOO_LARGE", `its answer claims to have ${MAX_ANSWER_BYTES + 1} bytes`],
  ])("a length that is none: %j", (bytes, code, message) => {
    const { frames, faults } = feed(Buffer.from(bytes, "latin1"), [3]);
    expect(frames).toEqual([]);
    expect(faults).toEqual([expect.objectContaining({ code, message })]);
  });
});
