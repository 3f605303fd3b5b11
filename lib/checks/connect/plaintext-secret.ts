import type { ConnectorCheck } from "../check";
import { knownReport } from "../connector-report";
import { sayer } from "../say";

const say = sayer("plaintext-secret");

export const plaintextSecret: ConnectorCheck = {
  subject: "connector",
  slug: "plaintext-secret",
  group: "connect",
  title: "Secret in plain text",
  looksAt: "Whether secrets stand in the configuration itself instead of a reference to a config provider.",
  severity: "warning",
  judge(facts, _limits, now) {
    const report = knownReport(facts, now);
    if (report.why !== undefined) return say.unknown(report.why);
    const { config, plaintextSecrets: names } = report.value;
    if (!config) return say.unknown("Connect did not report the configuration.");
    if (names.length === 0) return say.ok("none", "No secret stands in the configuration in plain text.");
    return say.warning({
      short: names.length === 1 ? (names[0] ?? "") : `${names.length} settings`,
      sentence: `${names.join(", ")} ${names.length === 1 ? "stands" : "stand"} in the configuration in plain text: anyone who can reach Connect's REST address, or read its config topic, can read ${names.length === 1 ? "it" : "them"}.`,
      evidence: names.map((name) => ({
        label: name,
        value: "in plain text",
        from: "connector configuration",
      })),
      remedy: [
        {
          text: "Give the workers a config provider (config.providers=file, config.providers.file.class=org.apache.kafka.common.config.provider.FileConfigProvider) and put the secret in a file that only they can read.",
          command: null,
        },
        {
          text: `Set ${names.join(", ")} to a reference such as \${file:/etc/kafka/secrets.properties:${names[0] ?? "key"}}, and change the secret at the source: it must be taken as known.`,
          command: null,
        },
      ],
    });
  },
};
