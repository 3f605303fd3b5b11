import type { Setting } from "@/lib/observed/topic";

/** Where a topic's setting comes from, for a person. */
export function settingSource(from: Setting["from"]): string {
  switch (from) {
    case "topic":
      return "set on the topic";
    case "broker":
      return "inherited from the broker, not set on the topic";
    case "built-in":
      return "inherited from Kafka's default, not set on the topic";
    case "unknown":
      return "where it is set is not known";
  }
}
