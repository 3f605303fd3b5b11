import { answerWithin } from "@/app/answer";
import { measurementsAnswer } from "@/app/measure-answers";
import { serverWaitMs } from "@/app/server-wait";
import { MeasureLive } from "./measure-live";

export const metadata = { title: "Measure" };
export const dynamic = "force-dynamic";

export default async function MeasurePage() {
  return <MeasureLive initial={await answerWithin(measurementsAnswer(), serverWaitMs)} />;
}
