import type { TopicSettings } from "@/lib/kafka/topic-settings";
import type { Failure } from "@/lib/observed/observation";
import type { BrokerProbe } from "../cluster-probe";

/** Settings change by hand: they are read again after so long, a whole failure sooner. */
const FRESH_MS = 5 * 60_000;
const AGAIN_MS = 30_000;

interface Kept {
  settings: TopicSettings | Failure;
  until: number;
}

/** Settings of topics, kept for some minutes: a poll of every few seconds asks for those of new topics only. */
class TopicSettingsMemory {
  private readonly kept = new Map<string, Kept>();
  private refreshing = false;

  constructor(private readonly brokers: BrokerProbe) {}

  /** For each topic its settings, or why they are not known. What is old is told once more while it is read again. */
  async of(topics: readonly string[], now: number): Promise<(topic: string) => TopicSettings | Failure> {
    if (this.kept.size > 2 * topics.length) this.keepOnly(new Set(topics));
    const unknown = topics.filter((topic) => !this.kept.has(topic));
    if (unknown.length > 0) await this.read(unknown, now);
    const old = topics.filter((topic) => (this.kept.get(topic)?.until ?? now) < now);
    if (old.length > 0 && !this.refreshing) {
      this.refreshing = true;
      void this.read(old, now).finally(() => {
        this.refreshing = false;
      });
    }
    return (topic) => this.kept.get(topic)?.settings ?? leftOut(topic);
  }

  private async read(topics: readonly string[], now: number): Promise<void> {
    const { value, failure } = await this.brokers.readTopicSettings(topics);
    for (const topic of topics) {
      const settings = failure ?? value.get(topic) ?? leftOut(topic);
      this.kept.set(topic, { settings, until: now + (failure ? AGAIN_MS : FRESH_MS) });
    }
  }

  private keepOnly(topics: ReadonlySet<string>): void {
    for (const topic of this.kept.keys()) if (!topics.has(topic)) this.kept.delete(topic);
  }
}

const memories = new WeakMap<BrokerProbe, TopicSettingsMemory>();

/** One memory for the brokers of a cluster, as long as they are watched. */
export function settingsMemory(brokers: BrokerProbe): TopicSettingsMemory {
  const memory = memories.get(brokers) ?? new TopicSettingsMemory(brokers);
  memories.set(brokers, memory);
  return memory;
}

function leftOut(topic: string): Failure {
  const sentence = `the brokers' answer leaves out the settings of topic ${topic}`;
  return { kind: "invalid-answer", sentence, remedy: null };
}
