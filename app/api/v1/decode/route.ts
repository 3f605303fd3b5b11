import { respond, respondError } from "@/app/api/respond";
import { decodeText } from "@/lib/debezium/decode-input";
import { DecodeInputError } from "@/lib/debezium/decode-input-error";
import {
  type DecodeAnswer,
  type DecodeRequest,
  decodeRequestBytes,
  decodeRequestSchema,
} from "@/lib/views/decode-request";
import type { AnswerError } from "@/lib/views/error-answer";
import { readBounded } from "./read-bounded";

const tooLarge: AnswerError = {
  kind: "too-large",
  sentence: "The text is larger than 1 MB.",
  remedy: "Decode a part of it, or use `tidemark decode` on the command line, which takes a file.",
};

const notUnderstood: AnswerError = {
  kind: "bad-request",
  sentence: "The request is not understood: it takes a JSON object with text and, if known, type.",
  remedy: "See /api/v1/openapi.json.",
};

function parseRequest(body: string): DecodeRequest | null {
  try {
    return decodeRequestSchema.parse(JSON.parse(body));
  } catch {
    return null;
  }
}

/** Explains pasted offsets. Needs no database and keeps nothing. */
export async function POST(request: Request): Promise<Response> {
  const body = await readBounded(request, decodeRequestBytes);
  if (body === null) return respondError(tooLarge);
  const asked = parseRequest(body);
  if (!asked) return respondError(notUnderstood);
  try {
    const view: DecodeAnswer = { reports: decodeText(asked.text, { type: asked.type }) };
    return respond({ ok: true, view });
  } catch (error) {
    if (!(error instanceof DecodeInputError)) throw error;
    return respondError({ kind: "not-decodable", sentence: error.message, remedy: null });
  }
}
