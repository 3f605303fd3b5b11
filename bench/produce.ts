import { once } from "node:events";
import { connect } from "node:net";

const PRODUCE = 0;
const VERSION = 7;
/** Requests that are written at once, and those that may wait for their answers. */
const TOGETHER = 16;
const UNDER_WAY = 64;

/** A batch of message format 2, and the offset at which it has to come to lie. */
export interface Placed {
  offset: number;
  batch: Buffer;
}

/**
 * Sends batches to partition 0 of a topic, one a request as Kafka asks for, several requests under way.
 * @returns how many bytes they have together. @throws where one does not come to lie at its offset
 */
export async function produce(broker: string, topic: string, batches: Iterable<Placed>): Promise<number> {
  const [host, port] = broker.split(":");
  const socket = connect({ host: host ?? "", port: Number(port), noDelay: true });
  const waiting: number[] = [];
  let failure: Error | null = null;
  let moved = () => {};
  let left = Buffer.alloc(0);
  socket.on("data", (bytes) => {
    left = Buffer.concat([left, bytes]);
    for (
      ;
      left.length >= 4 && left.length >= 4 + left.readInt32BE(0);
      left = left.subarray(4 + left.readInt32BE(0))
    )
      failure ??= wrong(left, topic, waiting.shift());
    moved();
  });
  socket.on("error", (error) => {
    failure ??= error;
    moved();
  });
  const until = async (most: number) => {
    while (waiting.length > most && failure === null)
      await new Promise<void>((resolve) => {
        moved = resolve;
      });
    if (failure) throw failure;
  };
  await once(socket, "connect");
  let bytes = 0;
  let together: Buffer[] = [];
  try {
    for (const { offset, batch } of batches) {
      bytes += batch.length;
      together.push(headOf(topic, batch.length), batch);
      waiting.push(offset);
      if (together.length < 2 * TOGETHER) continue;
      socket.write(Buffer.concat(together));
      together = [];
      await until(UNDER_WAY);
    }
    socket.write(Buffer.concat(together));
    await until(0);
  } finally {
    socket.destroy();
  }
  return bytes;
}

/** A request up to its batch, by its description in clients/src/main/resources/common/message of Kafka. */
function headOf(topic: string, size: number): Buffer {
  const head = Buffer.alloc(45 + topic.length);
  let at = head.writeInt32BE(head.length - 4 + size, 0);
  at = head.writeInt16BE(PRODUCE, at);
  at = head.writeInt16BE(VERSION, at);
  at = head.writeInt32BE(0, at);
  at = head.writeInt16BE(5, at);
  at += head.write("bench", at);
  at = head.writeInt16BE(-1, at); // no transaction
  at = head.writeInt16BE(1, at); // acks of the leader alone
  at = head.writeInt32BE(10_000, at);
  at = head.writeInt32BE(1, at);
  at = head.writeInt16BE(topic.length, at);
  at += head.write(topic, at);
  at = head.writeInt32BE(1, at);
  at = head.writeInt32BE(0, at);
  head.writeInt32BE(size, at);
  return head;
}

function wrong(answer: Buffer, topic: string, offset: number | undefined): Error | null {
  // Behind its size, the request's number, one topic with its name, one partition.
  const at = 4 + 4 + 4 + 2 + topic.length + 4 + 4;
  const [code, told] = [answer.readInt16BE(at), Number(answer.readBigInt64BE(at + 2))];
  return code === 0 && told === offset
    ? null
    : new Error(`a batch for offset ${offset}: code ${code}, at ${told}`);
}
