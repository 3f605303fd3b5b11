import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { answerWithin } from "@/app/answer";
import { connectorAnswer } from "@/app/answers";
import { serverWaitMs } from "@/app/server-wait";
import { pathParameter } from "@/lib/views/paths";
import { ConnectorLive } from "./connector-live";

interface Props {
  params: Promise<{ cluster: string; connector: string }>;
}

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  return { title: pathParameter((await params).connector) };
}

export default async function ConnectorPage({ params }: Props) {
  const { cluster, connector } = await params;
  const names = { cluster: pathParameter(cluster), connector: pathParameter(connector) };
  const initial = await answerWithin(connectorAnswer(names.cluster, names.connector), serverWaitMs);
  if (initial && !initial.ok && initial.error.kind === "not-found") notFound();
  return <ConnectorLive {...names} initial={initial} />;
}
