import { Agent } from "undici";
import type { ClusterSettings } from "@/lib/config/settings";
import { isJsonObject, type JsonObject, parseJson } from "@/lib/debezium/json";
import type { Look } from "@/lib/observed/observation";
import { type RegistryLimits, registryFailure, registryRefusal } from "./registry-failure";

export type RegistrySettings = NonNullable<ClusterSettings["schemaRegistry"]>;

/** Enough for an error message. */
const ERROR_BODY_BYTES = 65_536;
/** Requests to one registry at a time. */
const AT_ONCE = 4;

/** Asks one registry; opens nothing until first asked. */
export interface RegistryExchange {
  /**
   * One GET of a JSON object. Ends within `limits.answerMs`, reads at most `limits.maxBytes`, follows no redirect. Does not
   * throw. `what` completes "Could not …".
   */
  get(path: string, what: string): Promise<Look<JsonObject>>;
  close(): Promise<void>;
}

/** What came back before it was looked at. */
interface Answer {
  status: number;
  contentType: string;
  location: string | null;
  text: string;
}

/** How far a request came. */
interface Progress {
  answered: boolean;
}

class TooLarge extends Error {
  override readonly name = "TooLarge";
}

export function openRegistryExchange(settings: RegistrySettings, limits: RegistryLimits): RegistryExchange {
  const { origin, pathname } = new URL(settings.url);
  const prefix = pathname.replace(/\/+$/, "");
  const address = `${origin}${prefix}`;
  let agent: Agent | null = null;

  async function attempt(path: string, progress: Progress, signal: AbortSignal): Promise<Answer> {
    agent ??= new Agent({
      connections: AT_ONCE,
      connect: { timeout: limits.connectMs },
      // The whole answer has one time limit of its own.
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveTimeout: 4_000,
    });
    const { statusCode, headers, body } = await agent.request({
      origin,
      path: `${prefix}${path}`,
      method: "GET",
      headers: requestHeaders(settings),
      signal,
    });
    progress.answered = true;
    // Whoever destroys a body half read makes it emit an error that says just that.
    body.on("error", () => {});
    try {
      const bound = statusCode === 200 ? limits.maxBytes : ERROR_BODY_BYTES;
      const text =
        statusCode >= 300 && statusCode < 400 ? "" : await wholeText(body, bound, statusCode === 200);
      const one = (name: string) => [headers[name]].flat()[0] ?? null;
      return { status: statusCode, contentType: one("content-type") ?? "", location: one("location"), text };
    } finally {
      body.destroy();
    }
  }

  async function ask(path: string): Promise<Answer> {
    const progress: Progress = { answered: false };
    const signal = AbortSignal.timeout(limits.answerMs);
    try {
      return await attempt(path, progress, signal);
    } catch (error) {
      // A connection that the server had closed meanwhile is worth one new one.
      if (progress.answered || !["UND_ERR_SOCKET", "ECONNRESET"].includes(codeOf(error))) throw error;
      return attempt(path, progress, signal);
    }
  }

  return {
    async get(path, what) {
      const asked = { address, what };
      try {
        const answer = await ask(path);
        if (answer.status !== 200) return { failure: registryRefusal(asked, answer) };
        const value = /json/i.test(answer.contentType) ? parseJson(answer.text) : null;
        return value !== null && isJsonObject(value)
          ? { value }
          : { failure: registryRefusal(asked, answer) };
      } catch (error) {
        const code =
          error instanceof TooLarge ? "TOO_LARGE" : error instanceof SyntaxError ? "NOT_JSON" : codeOf(error);
        return { failure: registryFailure(asked, code, limits) };
      }
    },
    async close() {
      await agent?.destroy();
      agent = null;
    },
  };
}

function requestHeaders({ basicAuth }: RegistrySettings): Record<string, string> {
  const accept = "application/vnd.schemaregistry.v1+json, application/json";
  if (!basicAuth) return { accept };
  const login = Buffer.from(`${basicAuth.username}:${basicAuth.password}`, "utf8").toString("base64");
  return { accept, authorization: `Basic ${login}` };
}

/** The body as text; where it is longer than the bound: its beginning, or none at all when it is needed `whole`. */
async function wholeText(body: AsyncIterable<Uint8Array>, bound: number, whole: boolean): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of body) {
    bytes += part.length;
    if (bytes > bound && whole) throw new TooLarge();
    parts.push(part);
    if (bytes > bound) break;
  }
  return Buffer.concat(parts).toString("utf8", 0, bound);
}

/** The code of what a request threw; `ABORTED` when its time was up. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return "UNKNOWN";
  if (error.name === "TimeoutError" || error.name === "AbortError") return "ABORTED";
  const inner = "errors" in error && Array.isArray(error.errors) ? error.errors[0] : error;
  const { code } = inner as { code?: unknown };
  return typeof code === "string" ? code : error.name;
}
