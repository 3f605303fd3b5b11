import { schemaHistoryAnswer } from "@/app/answers";
import { respond } from "@/app/api/respond";

export const dynamic = "force-dynamic";

export async function GET(): Promise<Response> {
  return respond(await schemaHistoryAnswer());
}
