import { answerWithin } from "./answer";
import { fleetAnswer } from "./answers";
import { FleetLive } from "./fleet-live";
import { serverWaitMs } from "./server-wait";

export const metadata = { title: "Fleet" };
export const dynamic = "force-dynamic";

export default async function FleetPage() {
  return <FleetLive initial={await answerWithin(fleetAnswer(), serverWaitMs)} />;
}
