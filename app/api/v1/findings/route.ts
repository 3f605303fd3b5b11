import { findingsAnswer } from "@/app/answers";
import { respond, respondError } from "@/app/api/respond";
import { findingsQuerySchema } from "@/lib/views/findings-query";

export async function GET(request: Request): Promise<Response> {
  const query = findingsQuerySchema.safeParse(Object.fromEntries(new URL(request.url).searchParams));
  if (!query.success) {
    return respondError({
      kind: "bad-request",
      sentence:
        "The query is not understood: it takes state (open or recently-closed), cluster and connector.",
      remedy: "See /api/v1/openapi.json.",
    });
  }
  return respond(await findingsAnswer(query.data));
}
