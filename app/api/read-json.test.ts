import { describe, expect, test } from "vitest";
import { readJson } from "./read-json";

function request(body: string, headers: Record<string, string> = {}): Request {
  return new Request("http://127.0.0.1:8080/x", {
    method: "POST",
    body,
    headers: { Host: "127.0.0.1:8080", "Content-Type": "application/json", ...headers },
  });
}

const kindOf = async (r: Request) => {
  const taken = await readJson(r, 100);
  return taken.ok ? taken.body : taken.error.kind;
};

describe("a request that changes something", () => {
  test("JSON of our own pages, and of programs", async () => {
    expect(await kindOf(request('{"a":1}'))).toEqual({ a: 1 });
    expect(await kindOf(request("1", { "Sec-Fetch-Site": "same-origin" }))).toBe(1);
    expect(await kindOf(request("1", { Origin: "http://127.0.0.1:8080" }))).toBe(1);
    expect(await kindOf(request("1", { "Content-Type": "application/json; charset=utf-8" }))).toBe(1);
    expect(await kindOf(request(""))).toBeNull();
  });
  test("not of another page, not as a form, not without bound, not what is no JSON", async () => {
    expect(await kindOf(request("1", { "Sec-Fetch-Site": "cross-site" }))).toBe("forbidden");
    expect(await kindOf(request("1", { "Sec-Fetch-Site": "same-site" }))).toBe("forbidden");
    expect(await kindOf(request("1", { Origin: "http://127.0.0.1:9999" }))).toBe("forbidden");
    expect(await kindOf(request("1", { Origin: "null" }))).toBe("forbidden");
    expect(await kindOf(request("1", { "Content-Type": "text/plain" }))).toBe("not-json");
    expect(await kindOf(request("1", { "Content-Type": "application/jsonx" }))).toBe("not-json");
    expect(await kindOf(request(`"${"x".repeat(100)}"`))).toBe("too-large");
    expect(await kindOf(request("{"))).toBe("bad-request");
  });
});
