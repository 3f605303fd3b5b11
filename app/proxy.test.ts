import { NextRequest } from "next/server";
import { describe, expect, test } from "vitest";
import { errorAnswerSchema } from "@/lib/views/error-answer";
import { proxy } from "@/proxy";

function ask(host: string, init: { method?: string; origin?: string } = {}) {
  const headers = new Headers({ host, ...(init.origin ? { origin: init.origin } : {}) });
  return proxy(new NextRequest(`http://${host}/api/v1/fleet`, { method: init.method ?? "GET", headers }));
}

describe("who may ask", () => {
  test.each(["localhost:3000", "127.0.0.1:3000", "[::1]:3000", "tidemark.localhost"])(
    "%s is this machine",
    (host) => {
      expect(ask(host).status).toBe(200);
    },
  );

  test.each(["evil.example", "127.0.0.1.evil.example:3000", "localhost.evil.example", "10.0.0.1"])(
    "%s is refused, even if it resolves here",
    async (host) => {
      const answer = ask(host);
      expect(answer.status).toBe(403);
      expect(errorAnswerSchema.parse(await answer.json()).error.kind).toBe("forbidden");
    },
  );

  test("another page's form is refused; our own, and programs, are not", () => {
    expect(ask("localhost:3000", { method: "POST", origin: "https://evil.example" }).status).toBe(403);
    expect(ask("localhost:3000", { method: "POST", origin: "null" }).status).toBe(403);
    expect(ask("localhost:3000", { method: "POST", origin: "http://localhost:3000" }).status).toBe(200);
    expect(ask("localhost:3000", { method: "POST" }).status).toBe(200);
  });

  test("every answer has a policy that loads nothing from elsewhere", () => {
    const policy = ask("localhost:3000").headers.get("content-security-policy");
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
  });
});
