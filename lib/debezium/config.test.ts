import { describe, expect, test } from "vitest";
import { topicRoles } from "@/lib/observed/topic";
import {
  type ConnectorConfig,
  heartbeatIntervalMs,
  heartbeatTopic,
  notificationTopic,
  schemaHistoryStore,
  signalTopic,
  snapshotMode,
  topicPrefix,
  topicRole,
  transactionTopic,
} from "./config";

/** The form in which a worker resolves a value from elsewhere. */
const reference = (name: string) => `$\{${name}}`;

const shop: ConnectorConfig = {
  "connector.class": "io.debezium.connector.postgresql.PostgresConnector",
  "topic.prefix": "shop",
  "notification.sink.topic.name": "shop.notifications",
  "signal.data.collection": "public.debezium_signal",
};
const inv: ConnectorConfig = {
  "connector.class": "io.debezium.connector.mysql.MySqlConnector",
  "database.server.name": "inv",
  "database.history.kafka.topic": "inv.history",
  "database.history.kafka.bootstrap.servers": "k:9092",
};

const beaten: ConnectorConfig = {
  ...shop,
  "heartbeat.action.query": "UPDATE public.debezium_heartbeat SET ts = now() WHERE id = 1",
};

describe("names of 2.0 and later, and those before", () => {
  test("topic prefix", () => {
    expect([
      topicPrefix(shop),
      topicPrefix(inv),
      topicPrefix({ "mongodb.name": "crm" }),
      topicPrefix({}),
    ]).toEqual(["shop", "inv", "crm", null]);
    expect(topicPrefix({ "topic.prefix": " ", "database.server.name": " x " })).toBe("x");
  });

  test("schema history", () => {
    expect(schemaHistoryStore(shop)).toEqual({ store: "none" });
    expect(schemaHistoryStore(inv)).toMatchObject({
      store: "kafka",
      topic: "inv.history",
      bootstrapServers: "k:9092",
    });
    expect(
      schemaHistoryStore({
        ...inv,
        "schema.history.internal.kafka.topic": "new",
        "database.history": "io.debezium.relational.history.KafkaDatabaseHistory",
      }),
    ).toMatchObject({ store: "kafka", topic: "new" });
    expect(
      schemaHistoryStore({
        ...inv,
        "schema.history.internal": "io.debezium.storage.file.history.FileSchemaHistory",
      }),
    ).toEqual({ store: "other", className: "io.debezium.storage.file.history.FileSchemaHistory" });
  });

  test("defaults", () => {
    expect(snapshotMode({})).toBe("initial");
    expect(snapshotMode({ "snapshot.mode": "No_Data" })).toBe("no_data");
    expect(heartbeatIntervalMs({})).toBe(0);
    expect(heartbeatIntervalMs({ "heartbeat.interval.ms": "5000" })).toBe(5000);
    expect(heartbeatIntervalMs({ "heartbeat.interval.ms": reference("env:HB") })).toBeNull();
  });

  test("topics of the connector's own", () => {
    expect(heartbeatTopic(shop)).toBe("__debezium-heartbeat.shop");
    expect(heartbeatTopic({ ...shop, "topic.heartbeat.prefix": "hb", "topic.delimiter": "_" })).toBe(
      "hb_shop",
    );
    expect(heartbeatTopic({ ...inv, "heartbeat.topics.prefix": "old" })).toBe("old.inv");
    expect(heartbeatTopic({ ...shop, "topic.heartbeat.name": "whole" })).toBe("whole");
    expect(transactionTopic(shop)).toBe("shop.transaction");
    expect(transactionTopic({ ...shop, "topic.transaction": "tx" })).toBe("shop.tx");
    expect(transactionTopic({ ...inv, "transaction.topic": `${reference("database.server.name")}.tx` })).toBe(
      "inv.tx",
    );
    expect(notificationTopic(shop)).toBe("shop.notifications");
    expect(notificationTopic(inv)).toBeNull();
    expect(signalTopic(shop)).toBe("shop-signal");
    expect(signalTopic({ ...shop, "signal.kafka.topic": "s" })).toBe("s");
  });
});

describe("what a topic is for", () => {
  test.each([
    [shop, "shop.public.orders", "table"],
    [shop, "shopping.public.orders", "other"],
    [shop, "shop", "other"],
    [inv, "inv", "schema-change"],
    [inv, "inv.inventory.products", "table"],
    [shop, "__debezium-heartbeat.shop", "heartbeat"],
    [shop, "__debezium-heartbeat.shopping", "other"],
    [shop, "shop.transaction", "transaction"],
    [shop, "shop.notifications", "notification"],
    [shop, "shop-signal", "signal"],
    [shop, "shop.public.debezium_signal", "signal"],
    [{}, "shop.public.orders", "other"],
    [beaten, "shop.public.debezium_heartbeat", "heartbeat"],
    [beaten, "shop.public.heartbeat", "table"],
    [{ ...shop, "heartbeat.action.query": 'INSERT INTO "hb" VALUES (1)' }, "shop.public.hb", "heartbeat"],
  ] as const)("%# %s", (config, topic, role) => {
    expect(topicRole(config, topic)).toBe(role);
    expect(topicRoles).toContain(role);
  });
});
