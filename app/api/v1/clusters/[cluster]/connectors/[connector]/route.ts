import { connectorAnswer } from "@/app/answers";
import { respond } from "@/app/api/respond";
import { pathParameter } from "@/lib/views/paths";

export async function GET(
  _request: Request,
  { params }: { params: Promise<{ cluster: string; connector: string }> },
): Promise<Response> {
  const { cluster, connector } = await params;
  return respond(await connectorAnswer(pathParameter(cluster), pathParameter(connector)));
}
