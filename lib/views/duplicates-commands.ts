import type { FoundReplay } from "@/lib/observed/duplicates";

/** A word of a POSIX shell: quoted where it holds anything that a shell would read. */
export function shellWord(text: string): string {
  return /^[A-Za-z0-9_.,:/@%+=-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

export interface LookCommand {
  name: string;
  text: string;
}

/** Brokers in a command that a person fills in. */
const fillIn = "BROKERS";

function servers(brokers: readonly string[]): string {
  return shellWord(brokers.length === 0 ? fillIn : brokers.slice(0, 3).join(","));
}

/**
 * Commands that show the records from one offset to another (both included), their coordinates and keys only: no values. Where
 * offsets lack, as transaction markers' do, a count alone would show some of those behind.
 */
function showing(
  { topic, partition }: Pick<FoundReplay, "topic" | "partition">,
  [first, last]: readonly [number, number],
  brokers: readonly string[],
): LookCommand[] {
  const most = last - first + 1;
  return [
    {
      name: "kcat",
      text: `kcat -C -e -q -b ${servers(brokers)} -t ${shellWord(topic)} -p ${partition} -o ${first} -c ${most} -X isolation.level=read_committed -f '%o %T %k\\n' | awk '$1 <= ${last}'`,
    },
    {
      name: "kafka-console-consumer",
      text: `kafka-console-consumer.sh --bootstrap-server ${servers(brokers)} --topic ${shellWord(topic)} --partition ${partition} --offset ${first} --max-messages ${most} --timeout-ms 10000 --isolation-level read_committed --property print.offset=true --property print.timestamp=true --property print.key=true --property print.value=false | awk -F'\\t' 'substr($2, 8) + 0 <= ${last}'`,
    },
  ];
}

/** Commands that show what came again. */
export function lookCommands(replay: FoundReplay, brokers: readonly string[]): LookCommand[] {
  return showing(replay, [replay.firstOffset, replay.lastOffset], brokers);
}

/** Commands that show the first copies; none where they are not known or no longer there. */
export function firstCopyCommands(replay: FoundReplay, brokers: readonly string[]): LookCommand[] {
  const { firstCopyOf, lastCopyOf } = replay;
  if (firstCopyOf === null || lastCopyOf === null || lastCopyOf < firstCopyOf) return [];
  return showing(replay, [firstCopyOf, lastCopyOf], brokers);
}
