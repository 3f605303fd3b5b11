import { NextRequest } from "next/server";
import { expect, test } from "vitest";
import { proxy } from "@/proxy";

const asked = (path: string) =>
  proxy(new NextRequest(`http://localhost:3000${path}`, { headers: { host: "localhost:3000" } }));

test("a path that cannot be decoded is a bad request, told as JSON", async () => {
  for (const path of [
    "/api/v1/clusters/x/connectors/%E0%A4%A",
    "/api/v1/clusters/x/connectors/%E0%A4%A/replay-window",
    "/api/v1/clusters/%/connectors/x",
  ]) {
    const answer = asked(path);
    expect(answer.status).toBe(400);
    expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
    expect(await answer.json()).toMatchObject({ error: { kind: "bad-request" } });
  }
});

test("names with escaped signs pass", () => {
  expect(asked("/api/v1/clusters/eu%201/connectors/caf%C3%A9%25/replay-window").status).toBe(200);
});
