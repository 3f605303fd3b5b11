import { readJson } from "@/app/api/read-json";
import { respond, respondError } from "@/app/api/respond";
import { measureAnswer, measurementsAnswer } from "@/app/measure-answers";
import { measureRequestBytes, measureRequestSchema } from "@/lib/views/measure-schema";

export const dynamic = "force-dynamic";

export async function GET(): Promise<Response> {
  return respond(await measurementsAnswer());
}

export async function POST(request: Request): Promise<Response> {
  const taken = await readJson(request, measureRequestBytes);
  if (!taken.ok) return respondError(taken.error);
  const asked = measureRequestSchema.safeParse(taken.body);
  if (!asked.success)
    return respondError({
      kind: "bad-request",
      sentence:
        "The request is not understood: it names cluster, topic, method (bisect or scan) and, if not all, from before to.",
      remedy: "See /api/v1/openapi.json.",
    });
  return respond(await measureAnswer(asked.data));
}
