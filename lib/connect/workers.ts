import { readFileSync } from "node:fs";
import { Agent } from "undici";
import type { ClusterSettings } from "@/lib/config/settings";
import { type Exchanged, exchange, type Question } from "./exchange";
import { failureOfAll, failureOfTlsFile, type Limits, type Refusal } from "./failure";

/** Requests to one cluster at a time; the clock of a request runs from its turn. */
const AT_ONCE = 6;

export type Ask<T> = Pick<Question<T>, "path" | "maxBytes" | "read"> & {
  /** Completes "Could not …". */
  what: string;
};

/** The workers of one cluster: the last good one first, one request in flight a path, a few at once. */
export class Workers {
  private agent: Agent | null = null;
  private order: string[];
  private readonly inFlight = new Map<string, Promise<Exchanged<unknown>>>();
  private readonly waiting: (() => void)[] = [];
  private running = 0;

  constructor(
    private readonly settings: ClusterSettings["connect"],
    private readonly limits: Limits,
  ) {
    this.order = [...settings.urls];
  }

  /** A second caller for a path gets the answer that is already on its way. */
  ask<T>(question: Ask<T>): Promise<Exchanged<T>> {
    // A path is always read in the same way, so what is in flight has the same type.
    const sent = this.inFlight.get(question.path) as Promise<Exchanged<T>> | undefined;
    if (sent) return sent;
    const answer = this.inTurn(() => this.askInOrder(question)).finally(() =>
      this.inFlight.delete(question.path),
    );
    this.inFlight.set(question.path, answer);
    return answer;
  }

  async close(): Promise<void> {
    await this.agent?.destroy();
    this.agent = null;
  }

  private async inTurn<T>(run: () => Promise<T>): Promise<T> {
    if (this.running >= AT_ONCE) await new Promise<void>((resolve) => this.waiting.push(resolve));
    else this.running++;
    try {
      return await run();
    } finally {
      const next = this.waiting.shift();
      if (next) next();
      else this.running--;
    }
  }

  private async askInOrder<T>(question: Ask<T>): Promise<Exchanged<T>> {
    const opened = this.open();
    if (!(opened instanceof Agent)) return { refusal: opened };
    const refusals: Refusal[] = [];
    for (const url of [...this.order]) {
      const exchanged = await exchange(opened, this.addressed(question, url), this.limits);
      if (exchanged.refusal === undefined || exchanged.refusal.final) {
        this.order = [url, ...this.order.filter((other) => other !== url)];
        return exchanged;
      }
      refusals.push(exchanged.refusal);
    }
    const answered = refusals.find((one) => one.status !== null) ?? refusals[0];
    const rest = answered ?? { status: null, message: null, final: false };
    return { refusal: { ...rest, failure: failureOfAll(refusals) } };
  }

  private addressed<T>(question: Ask<T>, url: string): Question<T> {
    const { origin, pathname } = new URL(url);
    const prefix = pathname.replace(/\/+$/, "");
    return {
      asked: { address: `${origin}${prefix}`, what: question.what },
      origin,
      path: `${prefix}${question.path}`,
      headers: { accept: "application/json", "accept-encoding": "gzip", ...authorization(this.settings) },
      maxBytes: question.maxBytes,
      read: question.read,
    };
  }

  private open(): Agent | Refusal {
    if (this.agent) return this.agent;
    const tls = this.settings.tls;
    const files: { ca?: Buffer; cert?: Buffer; key?: Buffer } = {};
    for (const part of ["ca", "cert", "key"] as const) {
      const file = tls?.[part];
      if (file === undefined) continue;
      try {
        files[part] = readFileSync(file);
      } catch (error) {
        return { failure: failureOfTlsFile(file, error), status: null, message: null, final: true };
      }
    }
    this.agent = new Agent({
      connections: AT_ONCE,
      connect: {
        timeout: this.limits.connectMs,
        rejectUnauthorized: tls?.rejectUnauthorized ?? true,
        ...files,
      },
      // The whole answer has one time limit of its own.
      headersTimeout: 0,
      bodyTimeout: 0,
      // Below the 30 s after which Connect's server closes an idle connection.
      keepAliveTimeout: 15_000,
    });
    return this.agent;
  }
}

function authorization({ basicAuth }: ClusterSettings["connect"]): Record<string, string> {
  if (!basicAuth) return {};
  const encoded = Buffer.from(`${basicAuth.username}:${basicAuth.password}`, "utf8").toString("base64");
  return { authorization: `Basic ${encoded}` };
}
