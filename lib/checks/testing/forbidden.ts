import type { Failure } from "@/lib/observed/observation";

/** What the brokers answer to DescribeConfigs without the right to it. */
export function settingsDenied(topic: string): Failure {
  return {
    kind: "forbidden",
    sentence: `not allowed to read the settings (needs DescribeConfigs on topic ${topic})`,
    remedy: "grant it",
  };
}
