import type { ConnectorCheck } from "../check";
import { knownReport } from "../connector-report";
import { sayer } from "../say";
import type { RemedyStep, Verdict } from "../verdict";
import { needsHistoryTopic } from "./needs-history-topic";
import { recoverySteps } from "./recovery-steps";
import { type Sharer, sharers } from "./sharers";

const say = sayer("history-shared");

export const historyShared: ConnectorCheck = {
  subject: "connector",
  slug: "history-shared",
  group: "schema-history",
  title: "Schema history shared",
  looksAt: "Whether other connectors keep their schema history in the same topic.",
  severity: "warning",
  judge(facts, _limits, now) {
    const report = knownReport(facts, now);
    if (report.why !== undefined) return say.unknown(report.why);
    const { config, type } = report.value;
    if (type === "sink") return say.notApplicable("A sink connector needs no schema history.");
    if (!config) return say.unknown("Connect did not report the configuration.");
    const need = needsHistoryTopic(config);
    if ("why" in need) return need.needed ? say.unknown(need.why) : say.notApplicable(need.why);
    const { same: users, elsewhere } = sharers(facts, need);
    const me = (s: Sharer) => s.cluster === facts.cluster && s.connector === facts.connector;
    if (!users.some((s) => !me(s))) {
      const blind = facts.fleet.filter((o) => o.config === null);
      if (blind.length > 0) {
        return say.unknown(
          `No other connector is seen to use ${need.topic}, but the configuration of ${blind.map((o) => o.connector).join(", ")} was not reported.`,
        );
      }
      if (elsewhere.length > 0) return namesakes(elsewhere, need, facts.cluster);
      return say.ok("own topic", `No other connector uses ${need.topic}.`);
    }
    const names = users.map((s) => label(s, facts.cluster));
    return say.warning({
      short: `${users.length} connectors`,
      sentence: `${listed(names)} use the same schema history topic ${need.topic}: each start reads the history of all, and what damages it stops all.`,
      evidence: users.map((s) => ({
        label: label(s, facts.cluster),
        value: need.topic,
        from: "connector configuration",
      })),
      remedy: giveOwnTopics(users, need.topic, me),
    });
  },
};

/** Others name a topic so, on brokers of other addresses. */
function namesakes(
  others: readonly Sharer[],
  { topic, bootstrapServers }: { topic: string; bootstrapServers: string | null },
  cluster: string,
): Verdict {
  const names = listed(others.map((s) => label(s, cluster)));
  return say.ok(
    "own topic",
    `No other connector uses ${topic} on ${bootstrapServers}; ${names} ${others.length === 1 ? "uses" : "use"} a topic of that name on brokers of other addresses, which is another one unless they are one Kafka cluster.`,
    others.map((s) => ({
      label: label(s, cluster),
      value: serversOf(s) ?? "not told",
      from: "connector configuration",
    })),
  );
}

function serversOf({ config }: Sharer): string | null {
  const need = needsHistoryTopic(config);
  return "topic" in need ? need.bootstrapServers : null;
}

/** The first by name keeps the topic; each other connector gets its own. Shown for the judged one, or for all others. */
function giveOwnTopics(users: readonly Sharer[], topic: string, me: (s: Sharer) => boolean): RemedyStep[] {
  const [keeper, ...others] = users;
  const moving = keeper && me(keeper) ? others : users.filter(me);
  return moving.flatMap((s) =>
    recoverySteps({ connector: s.connector, config: s.config, topic, deleteTopic: false, shared: true }),
  );
}

function label(s: Sharer, cluster: string): string {
  return s.cluster === cluster ? s.connector : `${s.connector} (${s.cluster})`;
}

function listed(names: readonly string[]): string {
  return names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}
