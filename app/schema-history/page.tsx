import { answerWithin } from "@/app/answer";
import { schemaHistoryAnswer } from "@/app/answers";
import { serverWaitMs } from "@/app/server-wait";
import { SchemaHistoryLive } from "./schema-history-live";

export const metadata = { title: "Schema history" };
export const dynamic = "force-dynamic";

export default async function SchemaHistoryPage() {
  return <SchemaHistoryLive initial={await answerWithin(schemaHistoryAnswer(), serverWaitMs)} />;
}
