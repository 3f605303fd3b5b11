import { sample } from "../codecs/testing/samples";
import { encodeRecord } from "./encode-batch";

/** So many records of change events, with keys and headers, the same in every run. */
export function eventRecords(count: number): Buffer {
  return Buffer.concat(
    Array.from({ length: count }, (_, i) =>
      encodeRecord({
        offsetDelta: i,
        timestampDelta: BigInt(i * 7),
        key: i % 5 === 0 ? null : Buffer.from(`{"id":${i}}`),
        value: i % 7 === 3 ? null : sample("events", 230, i + 1),
        headers:
          i % 3 === 0
            ? [
                { name: "run", value: Buffer.from([i]) },
                { name: "none", value: null },
              ]
            : [],
      }),
    ),
  );
}
