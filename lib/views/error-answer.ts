import { z } from "zod";

/** Every error of /api/v1: `kind` for programs, the rest for people. */
export const errorAnswerSchema = z.object({
  error: z.object({
    kind: z.enum([
      "database-unavailable",
      "not-found",
      "forbidden",
      "bad-request",
      "too-large",
      "not-json",
      "too-many",
      "not-decodable",
      "internal",
    ]),
    sentence: z.string(),
    remedy: z.string().nullable(),
  }),
});
export type ErrorAnswer = z.infer<typeof errorAnswerSchema>;
export type AnswerError = ErrorAnswer["error"];

export const errorStatus: Readonly<Record<AnswerError["kind"], number>> = {
  "database-unavailable": 503,
  "not-found": 404,
  forbidden: 403,
  "bad-request": 400,
  "too-large": 413,
  "not-json": 415,
  "too-many": 429,
  "not-decodable": 422,
  internal: 500,
};
