import { describe, expect, test } from "vitest";
import { decodeAnswerSchema, decodeRequestBytes } from "@/lib/views/decode-request";
import { errorAnswerSchema } from "@/lib/views/error-answer";
import { POST } from "./route";

function post(body: string): Promise<Response> {
  return POST(new Request("http://127.0.0.1/api/v1/decode", { method: "POST", body }));
}

async function errorOf(response: Response) {
  return errorAnswerSchema.parse(await response.json()).error;
}

describe("POST /api/v1/decode", () => {
  test("explains an offset, digits kept", async () => {
    const text = '{"lsn":18446744073709551615,"lsn_commit":27408640,"txId":760,"ts_usec":1795957675987637}';
    const response = await post(JSON.stringify({ type: "postgresql", text }));
    expect(response.status).toBe(200);
    const answer = decodeAnswerSchema.parse(await response.json());
    expect(answer.reports[0]?.partitions[0]?.position.fields.find((f) => f.name === "lsn")?.raw).toBe(
      "18446744073709551615",
    );
  });

  test("text without an offset: 422 with a sentence", async () => {
    const response = await post(JSON.stringify({ text: "no offset" }));
    expect(response.status).toBe(422);
    expect((await errorOf(response)).sentence).toMatch(/^Not JSON at line 1/);
  });

  test("a body that is not a request: 400", async () => {
    for (const body of ["", "[]", '{"text":1}', '{"text":"{}","type":"dbase"}']) {
      const response = await post(body);
      expect(response.status).toBe(400);
      expect((await errorOf(response)).kind).toBe("bad-request");
    }
  });

  test("a body over the bound: 413", async () => {
    const response = await post(JSON.stringify({ text: "x".repeat(decodeRequestBytes) }));
    expect(response.status).toBe(413);
    expect((await errorOf(response)).kind).toBe("too-large");
  });
});
