import { describe, expect, test } from "vitest";
import { capturedRecords } from "./fixtures/read";
import { RunIds, runContext, runIdHeader, runStart } from "./run-context";

const name = Buffer.from(runIdHeader).toString();

describe("run context", () => {
  test("is read whichever converter wrote the headers", () => {
    const contexts = ["shop.public.orders", "flat2.public.orders"].map((topic) => {
      const [captured] = capturedRecords((r) => r.topic === topic);
      return captured && runContext(captured.record.headers);
    });
    expect(contexts).toEqual([
      {
        runId: "01a2276a-675c-7f10-b960-d5d68b86b810",
        logicalName: "shop",
        taskId: "0",
        connector: "postgresql",
      },
      {
        runId: "01a228de-fd21-7939-89a5-ed08db872c43",
        logicalName: "flat2",
        taskId: "0",
        connector: "postgresql",
      },
    ]);
    expect(runContext([{ name: "id", value: Buffer.from("x") }])).toBeNull();
  });

  test("the time in an id is that of the start", () => {
    // The first record of this run was written at 13:06:55.548.
    expect(new Date(runStart("01a2276a-675c-7f10-b960-d5d68b86b810") ?? 0).toISOString()).toMatch(
      /^2026-11-29T13:06:5[0-5]/,
    );
    expect(runStart("0b8c1d2e-6f4a-4f0e-9a3c-2f5c7d1b9e10")).toBeNull();
    expect(runStart("x")).toBeNull();
  });

  test("by bytes gives the same, and the same text for the same bytes", () => {
    expect(name).toBe("__debezium.context.runId");
    const runs = new RunIds();
    for (const { record } of capturedRecords()) {
      for (const { name: header, value } of record.headers) {
        if (header !== name) continue;
        const bytes = Buffer.from(`xx${value ?? ""}yy`);
        expect(runs.read(bytes, 2, bytes.length - 2)).toBe(runContext(record.headers)?.runId);
      }
    }
    const bytes = Buffer.from("01a2276a-675c-7f10-b960-d5d68b86b81001a2276a-675c-7f10-b960-d5d68b86b811");
    expect(runs.read(bytes, 0, 36)).toBe("01a2276a-675c-7f10-b960-d5d68b86b810");
    expect(runs.read(bytes, 36, 72)).toBe("01a2276a-675c-7f10-b960-d5d68b86b811");
    expect(runs.read(bytes, -1, -1)).toBeNull();
  });
});
