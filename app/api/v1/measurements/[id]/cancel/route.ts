import { readJson } from "@/app/api/read-json";
import { respond, respondError } from "@/app/api/respond";
import { cancelAnswer } from "@/app/measure-answers";
import { pathParameter } from "@/lib/views/paths";

/** There is nothing to say but which one. */
const bodyBytes = 64;

export async function POST(
  request: Request,
  { params }: { params: Promise<{ id: string }> },
): Promise<Response> {
  const taken = await readJson(request, bodyBytes);
  if (!taken.ok) return respondError(taken.error);
  return respond(await cancelAnswer(pathParameter((await params).id)));
}
