import { answerWithin } from "@/app/answer";
import { statusAnswer } from "@/app/answers";
import { serverWaitMs } from "@/app/server-wait";
import { StatusLive } from "./status-live";

export const metadata = { title: "Status" };
export const dynamic = "force-dynamic";

export default async function StatusPage() {
  return <StatusLive initial={await answerWithin(statusAnswer(), serverWaitMs)} />;
}
