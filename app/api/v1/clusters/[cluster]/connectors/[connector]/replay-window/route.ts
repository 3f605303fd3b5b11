import { replayHistoryAnswer } from "@/app/answers";
import { respond, respondError } from "@/app/api/respond";
import { pathParameter } from "@/lib/views/paths";
import { windowRangeSchema } from "@/lib/views/replay-window-schema";

export async function GET(
  request: Request,
  { params }: { params: Promise<{ cluster: string; connector: string }> },
): Promise<Response> {
  const asked = new URL(request.url).searchParams.get("range") ?? "1h";
  const range = windowRangeSchema.safeParse(asked);
  if (!range.success) {
    return respondError({
      kind: "bad-request",
      sentence: "The range is not understood: it is 1h, 24h or 7d.",
      remedy: "See /api/v1/openapi.json.",
    });
  }
  const { cluster, connector } = await params;
  return respond(await replayHistoryAnswer(pathParameter(cluster), pathParameter(connector), range.data));
}
