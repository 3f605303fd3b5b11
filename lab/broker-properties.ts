import type { BrokerPlace } from "./brokers";
import { keystoreOf } from "./certificate";
import { scramLogin } from "./login";
import type { Places } from "./places";
import { type LabState, secretsOf } from "./state";

/** A killed broker's partitions get other leaders after this time, and it may come back only then: 9 s by default. */
const SEVERAL = `broker.session.timeout.ms=5000
broker.heartbeat.interval.ms=1000
`;

/** A broker's settings. The first is the controller too. */
export function brokerProperties(places: Places, state: LabState, broker: BrokerPlace): string {
  const controls = broker.node === 1;
  const controller = controls ? [`CONTROLLER://127.0.0.1:${state.ports.controller}`] : [];
  return `process.roles=${controls ? "broker,controller" : "broker"}
node.id=${broker.node}
controller.quorum.voters=1@127.0.0.1:${state.ports.controller}
controller.listener.names=CONTROLLER
${state.secure ? secureListeners(places, broker, controller) : openListeners(broker, controller)}
log.dirs=${broker.folder}
num.partitions=1
default.replication.factor=1
offsets.topic.replication.factor=${state.brokers}
offsets.topic.num.partitions=4
transaction.state.log.replication.factor=${state.brokers}
transaction.state.log.min.isr=1
transaction.state.log.num.partitions=4
share.coordinator.state.topic.replication.factor=1
share.coordinator.state.topic.min.isr=1
group.initial.rebalance.delay.ms=0
log.retention.check.interval.ms=5000
log.cleaner.backoff.ms=5000
${state.brokers > 1 ? SEVERAL : ""}# With the usual 128 MB the broker does not start in a heap this small.
log.cleaner.dedupe.buffer.size=8388608
`;
}

function openListeners({ port }: BrokerPlace, controller: readonly string[]): string {
  const clients = `PLAINTEXT://127.0.0.1:${port}`;
  return `listeners=${[clients, ...controller].join(",")}
advertised.listeners=${clients}
inter.broker.listener.name=PLAINTEXT
listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT`;
}

/**
 * Two listeners with a login, one of them with TLS, and an authorizer. The users of SCRAM were made when the folder was
 * formatted; those of PLAIN stand here. The controller's listener, for the broker itself, is the anonymous user's.
 */
function secureListeners(places: Places, broker: BrokerPlace, controller: readonly string[]): string {
  const clients = `SASL_PLAINTEXT://127.0.0.1:${broker.port},SASL_SSL://127.0.0.1:${broker.tlsPort}`;
  const { kafkaAdmin, tidemark } = secretsOf(places);
  const plain = `org.apache.kafka.common.security.plain.PlainLoginModule required username="admin" password="${kafkaAdmin}" user_admin="${kafkaAdmin}" user_tidemark="${tidemark}";`;
  const logins = ["sasl_plaintext", "sasl_ssl"].flatMap((listener) => [
    `listener.name.${listener}.scram-sha-512.sasl.jaas.config=${scramLogin(kafkaAdmin)}`,
    `listener.name.${listener}.scram-sha-256.sasl.jaas.config=${scramLogin(kafkaAdmin)}`,
    `listener.name.${listener}.plain.sasl.jaas.config=${plain}`,
  ]);
  return `listeners=${[clients, ...controller].join(",")}
advertised.listeners=${clients}
inter.broker.listener.name=SASL_PLAINTEXT
listener.security.protocol.map=SASL_PLAINTEXT:SASL_PLAINTEXT,SASL_SSL:SASL_SSL,CONTROLLER:PLAINTEXT
sasl.enabled.mechanisms=SCRAM-SHA-512,SCRAM-SHA-256,PLAIN
sasl.mechanism.inter.broker.protocol=SCRAM-SHA-512
${logins.join("\n")}
ssl.keystore.type=PKCS12
ssl.keystore.location=${keystoreOf(places)}
ssl.keystore.password=${kafkaAdmin}
authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer
super.users=User:admin;User:ANONYMOUS`;
}
