import { afterEach, describe, expect, test } from "vitest";
import { logOf, offsets, partitionOf, topicOf } from "./testing/fake-log";
import { closeAll, connect, failureOf, range, readWhole, setUp, size } from "./testing/fake-reads";

afterEach(closeAll);

/** A hundred records of the leader epoch 1, and a reader of ten at a time. */
async function hundredOfOne(epochs = 3) {
  const before = topicOf(partitionOf(0, 100, logOf(0, 100, 10, 1), { leaderEpoch: 1 }));
  const { broker, reader } = await setUp(before, { newest: { epochs } });
  return { broker, reader, small: { ...range, fetchBytes: size } };
}

/** The log after an election: epoch 1 up to `cut`, then epoch 2. */
const elected = (cut: number, epochEnds: Record<number, number>) =>
  topicOf(
    partitionOf(0, 120, [...logOf(0, cut, 10, 1), ...logOf(cut, 120, 10, 2)], { leaderEpoch: 2, epochEnds }),
  );

describe("records of another leader follow", () => {
  test("what was read was cut off, and others have grown past it: recreated, and none of them is read", async () => {
    const { broker, reader, small } = await hundredOfOne();
    const { end, offsets: found } = await readWhole(reader.read(small), (batch) => {
      if (batch.baseOffset === 40) broker.topics.set("t", elected(20, { 1: 20 }));
    });
    expect(end).toMatchObject({ why: "recreated", next: 0 });
    expect([50, 60]).toContain(found.length);
    expect(found).toEqual(offsets(0, found.length));
    expect(broker.epochsAsked.at(-1)).toBe(1);
  });

  test("nothing that was read was cut off: the read goes on, and asked once", async () => {
    const { broker, reader, small } = await hundredOfOne();
    const { end, offsets: found } = await readWhole(reader.read(small), (batch) => {
      if (batch.baseOffset === 40) broker.topics.set("t", elected(80, { 1: 80 }));
    });
    expect(end).toMatchObject({ why: "end", next: 100 });
    expect(found).toEqual(offsets(0, 100));
    expect(broker.epochsAsked).toEqual([1]);
  });

  test.each([
    ["the leader knows nothing of that epoch", 3],
    ["brokers cannot be asked", 1],
  ])("%s: the read goes on", async (_, epochs) => {
    const { broker, reader, small } = await hundredOfOne(epochs);
    broker.topics.set("t", elected(50, {}));
    expect((await readWhole(reader.read(small))).offsets).toEqual(offsets(0, 120));
    expect(broker.epochsAsked.length).toBe(epochs === 3 ? 1 : 0);
  });

  test("a leader that moves meanwhile is asked again", async () => {
    const { broker, reader, small } = await hundredOfOne();
    broker.topics.set("t", elected(50, { 1: 50 }));
    broker.epochErrors.push(6, 75);
    expect((await readWhole(reader.read(small))).offsets).toEqual(offsets(0, 120));
    expect(broker.epochsAsked).toEqual([1, 1, 1]);
  });

  test("it cannot be found out: the read fails, and says where", async () => {
    const { broker, small } = await hundredOfOne();
    broker.topics.set("t", elected(50, { 1: 50 }));
    broker.epochErrors.push(29);
    const denied = await failureOf(connect(broker).read(small));
    expect(denied).toMatchObject({ failure: { kind: "forbidden" }, at: { offset: 50 } });
    broker.epochErrors.push(...new Array(20).fill(6));
    const moving = await failureOf(connect(broker, 300).read(small));
    expect(moving.message).toBe("topic t, partition 0, offset 50: topic t just changed its leader");
  });
});
