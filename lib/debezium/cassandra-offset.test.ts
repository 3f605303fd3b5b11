import { describe, expect, test } from "vitest";
import { cassandraOffsetText } from "./cassandra-offset";
import { decodeText } from "./decode-input";

describe("positions of the Cassandra connector", () => {
  test.each([
    "shop.orders.commitlog=CommitLog-7-1789367400123.log\\:5678",
    "#Mon Sep 14 06:30:00 UTC 2026\nshop.orders.snapshot=\\:-1\nshop.orders.commitlog=CommitLog-7-1.log\\:5",
    "shop.orders.commitlog = CommitLog-7-1789367400123.log:5678",
    '{"shop.orders.commitlog":"CommitLog-7-1789367400123.log:5678"}',
    '{\n  "shop.orders.snapshot": ":-1",\n  "shop.orders.commitlog": "CommitLog-7-1.log:5"\n}',
  ])("%s", (text) => {
    expect(cassandraOffsetText(text)).toContain("no Kafka Connect connector");
    expect(() => decodeText(text)).toThrow("Debezium's Cassandra connector");
  });

  test.each([
    '{"snapshot":"INITIAL","lsn":5}',
    '{"file":"binlog.000001","pos":4,"snapshot":true}',
    '{"snapshot_completed":"true","offset.cursor":"5"}',
    '{"consumer.offset.shop.db.snapshot:3":5}',
    '{"transaction_data_collection_order_db.commitlog":5}',
    "",
  ])("not of %s", (text) => {
    expect(cassandraOffsetText(text)).toBeNull();
  });

  test("an offset beside a key that looks alike is read all the same", () => {
    const text = '{\n"a.commitlog": "x:5",\n"lsn": 26120704\n}';
    expect(decodeText(text)[0]?.partitions[0]?.position.text).toBe("0/18E9200");
  });

  test("a long text takes no long time", () => {
    const began = performance.now();
    const [dots, blanks, lines] = ["a.", " ", "\n"].map((part) => part.repeat(200_000));
    expect(cassandraOffsetText(`${dots}${lines}${blanks}`)).toBeNull();
    expect(performance.now() - began).toBeLessThan(2_000);
  });
});
