import { respond, respondError } from "@/app/api/respond";
import { respondCsv } from "@/app/api/respond-csv";
import { measuredReplaysAnswer, measurementAnswer } from "@/app/measure-answers";
import { pathParameter } from "@/lib/views/paths";

export async function GET(
  request: Request,
  { params }: { params: Promise<{ id: string }> },
): Promise<Response> {
  const format = new URL(request.url).searchParams.get("format") ?? "json";
  const id = pathParameter((await params).id);
  if (format === "json") return respond(await measurementAnswer(id));
  if (format !== "csv")
    return respondError({
      kind: "bad-request",
      sentence: "The format is not understood: it is json or csv.",
      remedy: "See /api/v1/openapi.json.",
    });
  const answer = await measuredReplaysAnswer(id);
  return answer.ok ? respondCsv(answer.view.replays, `replays-${id}`) : respond(answer);
}
