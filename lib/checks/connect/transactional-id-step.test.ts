import { expect, test } from "vitest";
import { transactionalIds } from "@/lib/debezium/transactional-ids";
import { transactionalIdStep } from "./transactional-id-step";

const trace =
  "org.apache.kafka.common.errors.TransactionalIdAuthorizationException: Transactional Id authorization failed.";
const running = { state: "RUNNING", workerId: null, version: null, trace: null };
const failed = { ...running, state: "FAILED", trace };
const tasks = [
  { ...failed, id: 0 },
  { ...running, id: 1 },
];

test("the rights that exactly-once lacks are told by their names (EOS-01)", () => {
  const ids = transactionalIds("connect-eu", "orders/eu", 2);
  expect([...ids.tasks, ids.leader]).toEqual([
    "connect-eu-orders/eu-0",
    "connect-eu-orders/eu-1",
    "connect-cluster-connect-eu",
  ]);
  expect(transactionalIdStep("orders/eu", tasks, "connect-eu")?.text).toBe(
    "Task 0 may not use its transactional id; needs Write and Describe on TransactionalId connect-eu-orders/eu-0 (or a prefix). The connector's tasks use connect-eu-orders/eu-0, connect-eu-orders/eu-1, the workers' leader connect-cluster-connect-eu.",
  );
});

test("without group.id their form is told, and no made-up name", () => {
  const { text } = transactionalIdStep("orders/eu", tasks, null) ?? { text: "" };
  expect(text).toContain("<group.id>-orders/eu-<task>");
  expect(text).not.toContain("connect-cluster-connect");
});

test("another trace, or none, asks for no such right", () => {
  expect(transactionalIdStep("orders", [{ ...running, id: 1 }], "connect")).toBeNull();
  const other = { ...failed, id: 0, trace: "java.lang.RuntimeException: no" };
  expect(transactionalIdStep("orders", [other], "connect")).toBeNull();
});
