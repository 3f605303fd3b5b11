"use client";

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { errorOf } from "@/app/error-of";
import { useSettled } from "@/app/use-settled";
import { Decode } from "@/components/decode";
import type { DecodeOutcome } from "@/components/decode-form";
import type { DecodeAnswer, DecodeRequest } from "@/lib/views/decode-request";
import type { AnswerError } from "@/lib/views/error-answer";
import { apiDecodePath } from "@/lib/views/paths";

const typingMs = 250;

const noAnswer: AnswerError = {
  kind: "internal",
  sentence: "Tidemark's web process does not answer.",
  remedy: "Your text is kept; change it to try again.",
};

async function ask(request: DecodeRequest, signal: AbortSignal): Promise<DecodeOutcome> {
  const body = JSON.stringify(request);
  const response = await fetch(apiDecodePath, { method: "POST", body, signal }).catch(() => null);
  if (!response) return { error: noAnswer };
  const answer: unknown = await response.json();
  if (response.ok) return { answer: answer as DecodeAnswer };
  return { error: errorOf(answer) ?? noAnswer };
}

export function DecodeLive() {
  const [request, setRequest] = useState<DecodeRequest>({ text: "" });
  const settled = useSettled(request, typingMs);
  const query = useQuery({
    queryKey: [apiDecodePath, settled],
    queryFn: ({ signal }) => ask(settled, signal),
    enabled: settled.text.trim() !== "",
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  const outcome = settled.text.trim() === "" || request.text.trim() === "" ? null : (query.data ?? null);
  return <Decode request={request} setRequest={setRequest} outcome={outcome} />;
}
