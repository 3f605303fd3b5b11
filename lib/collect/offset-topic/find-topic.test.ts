import { beforeEach, describe, expect, test } from "vitest";
import type { Failure } from "@/lib/observed/observation";
import { findOffsetTopic } from "./find-topic";
import { LogDouble } from "./testing/log-double";

const now = Date.UTC(2026, 10, 29, 12);
const forbidden = (sentence: string): Failure => ({ kind: "forbidden", sentence, remedy: null });
const key = (connector: string) => JSON.stringify([connector, { server: "shop" }]);

describe("the offset topic is found by its keys", () => {
  let brokers: LogDouble;
  const find = (connectors = ["orders", "inventory"], others: string[] = []) =>
    findOffsetTopic(brokers.probe, new Set(connectors), new Set(others));
  const commit = (topic: string, connector: string, partition = 1) =>
    brokers.write(topic, partition, key(connector), '{"lsn":1}', now);

  beforeEach(() => {
    brokers = new LogDouble();
    brokers.topic("connect-configs");
    brokers.write("connect-configs", 0, "connector-orders", "{}", now);
    brokers.topic("connect-status");
    brokers.write("connect-status", 0, "status-connector-orders", "{}", now);
    brokers.topic("shop.public.orders", { policy: "delete" });
    commit("shop.public.orders", "orders");
    brokers.topic("__consumer_offsets");
    commit("__consumer_offsets", "orders");
    brokers.topic("empty");
  });

  test("among the others of Connect, whatever it is called", async () => {
    brokers.topic("some other name");
    commit("some other name", "orders");
    expect(await find()).toEqual({ topic: "some other name" });
  });

  test("also when the newest key is that of a connector that is gone, or in another partition", async () => {
    brokers.topic("connect-offsets");
    commit("connect-offsets", "inventory");
    commit("connect-offsets", "deleted-long-ago");
    commit("connect-offsets", "deleted-too", 0);
    expect(await find()).toEqual({ topic: "connect-offsets" });
  });

  test("with the schemas of its converter on", async () => {
    brokers.topic("connect-offsets");
    brokers.write("connect-offsets", 0, `{"schema":null,"payload":${key("orders")}}`, null, now);
    expect(await find()).toEqual({ topic: "connect-offsets" });
  });

  test("not another cluster's, and not a connector's own", async () => {
    brokers.topic("of-another-cluster");
    commit("of-another-cluster", "someone-else");
    brokers.topic("own-offsets");
    commit("own-offsets", "orders");
    expect(await find(["orders"], ["own-offsets"])).toMatchObject({ failure: { kind: "not-found" } });
  });

  test("two candidates: nobody guesses, a person is asked", async () => {
    for (const topic of ["offsets-a", "offsets-b"]) {
      brokers.topic(topic);
      commit(topic, "orders");
    }
    expect(await find()).toMatchObject({
      failure: {
        kind: "not-configured",
        sentence: "two topics could be Connect's offset.storage.topic: offsets-a, offsets-b",
        remedy: expect.stringContaining("clusters[].offsetTopic"),
      },
    });
  });

  test("where topic settings may not be read, keys decide", async () => {
    brokers.topic("connect-offsets");
    commit("connect-offsets", "orders");
    for (const topic of brokers.topics.values()) topic.policy = forbidden("not allowed to read the settings");
    brokers.topics.delete("shop.public.orders");
    expect(await find()).toEqual({ topic: "connect-offsets" });
  });

  test("none that may be read: it says which may not, and what to grant", async () => {
    const unreadable = forbidden("not allowed to read the records");
    brokers.topic("connect-offsets", { unreadable });
    commit("connect-offsets", "orders");
    const found = await find();
    expect(found).toMatchObject({ failure: { kind: "forbidden" } });
    expect(JSON.stringify(found)).toMatch(
      /may not be read: connect-offsets.*grant Tidemark's user Read and Describe/,
    );
  });

  test("brokers that are away are no brokers without a topic", async () => {
    brokers.down = { kind: "unreachable", sentence: "none of the brokers can be reached", remedy: null };
    expect(await find()).toEqual({ failure: brokers.down });
    brokers.down = null;
    expect(await find()).toMatchObject({ failure: { kind: "not-found" } });
  });
});
