import type { KafkaConnection } from "./connection";
import { pickVersion, type WireReader, type WireWriter, wireCall } from "./wire";

// Of the Kafka protocol.
const DESCRIBE_CONFIGS = 32;
const TOPIC = 2;

export interface ConfigEntry {
  configName: string;
  configValue: string | null;
  /** ConfigSource of the protocol: 1 topic, 2 dynamic broker, 3 dynamic default broker, 4 static broker, 5 default; -1 unknown. */
  configSource: number;
}

export interface DescribedConfigs {
  topic: string;
  errorCode: number;
  entries: ConfigEntry[];
}

/**
 * DescribeConfigs of topics, for the settings named. Errors inside the answer stay there: kafkajs's own parser would throw the
 * first topic's and lose the rest, and its encoder takes its time for thousands.
 * @throws TooOldError, TooNewError, WireError, and what {@link KafkaConnection.ask} throws.
 */
export async function describeConfigs(
  k: KafkaConnection,
  topics: readonly string[],
  names: readonly string[],
): Promise<DescribedConfigs[]> {
  const answer = await k.ask(null, (versions) => {
    const version = pickVersion(versions, DESCRIBE_CONFIGS, 0, 2);
    return wireCall({
      apiKey: DESCRIBE_CONFIGS,
      apiName: "DescribeConfigs",
      version,
      flexible: false,
      write: (to) => writeRequest(to, version, topics, names),
      read: (from) => readAnswer(from, version),
    });
  });
  return answer as DescribedConfigs[];
}

function writeRequest(
  to: WireWriter,
  version: number,
  topics: readonly string[],
  names: readonly string[],
): void {
  to.array(topics, (topic) => {
    to.int8(TOPIC).string(topic);
    to.array(names, (name) => to.string(name));
  });
  // Synonyms: not wanted.
  if (version >= 1) to.boolean(false);
}

function readAnswer(from: WireReader, version: number): DescribedConfigs[] {
  from.int32();
  return from.array(() => {
    const errorCode = from.int16();
    from.string();
    from.int8();
    const topic = from.string() ?? "";
    return { topic, errorCode, entries: from.array(() => readEntry(from, version)) };
  });
}

function readEntry(from: WireReader, version: number): ConfigEntry {
  const [configName, configValue] = [from.string() ?? "", from.string()];
  from.boolean();
  // Before Kafka 1.1 (KIP-226) it is told only whether the value is the default.
  const configSource = version >= 1 ? from.int8() : from.boolean() ? 5 : -1;
  from.boolean();
  if (version >= 1)
    from.array(() => {
      from.string();
      from.string();
      from.int8();
    });
  return { configName, configValue, configSource };
}
