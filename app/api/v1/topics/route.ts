import { respond, respondError } from "@/app/api/respond";
import { topicsAnswer } from "@/app/measure-answers";

export async function GET(request: Request): Promise<Response> {
  const query = new URL(request.url).searchParams;
  const cluster = query.get("cluster");
  if (!cluster)
    return respondError({
      kind: "bad-request",
      sentence: "Name the cluster whose topics are asked for.",
      remedy: "See /api/v1/openapi.json.",
    });
  return respond(await topicsAnswer(cluster, query.get("q") ?? ""));
}
