import { respond, respondError } from "@/app/api/respond";
import { respondCsv } from "@/app/api/respond-csv";
import { duplicatesAnswer } from "@/app/duplicates-answers";
import { duplicatesRequest } from "@/lib/views/duplicates-request";
import { pathParameter } from "@/lib/views/paths";

export async function GET(
  request: Request,
  { params }: { params: Promise<{ cluster: string; connector: string }> },
): Promise<Response> {
  const asked = duplicatesRequest(new URL(request.url).searchParams, new Date());
  if ("kind" in asked) return respondError(asked);
  const { cluster, connector } = await params;
  const names = [pathParameter(cluster), pathParameter(connector)] as const;
  const answer = await duplicatesAnswer(...names, asked);
  return asked.format === "csv" && answer.ok
    ? respondCsv(answer.view.replays, `replays-${names[1]}`)
    : respond(answer);
}
