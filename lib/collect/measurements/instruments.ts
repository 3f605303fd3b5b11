import type { measurePartition } from "../duplicates/measure-partition";
import type { scanTopic } from "../scan/scan-topic";

/** What measures, or what a test puts in its place. */
export interface Instruments {
  bisect: typeof measurePartition;
  scan: typeof scanTopic;
}
