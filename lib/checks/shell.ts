import type { RemedyStep } from "./verdict";

/** A word for a POSIX shell: as it is when harmless, else in single quotes. */
function shellWord(text: string): string {
  return /^[A-Za-z0-9._/:=,@+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** A path segment that is also harmless between double quotes, where `!` is not. */
function pathSegment(name: string): string {
  return encodeURIComponent(name).replace(
    /[!'()*]/g,
    (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** Sets one setting on a topic itself. */
export function setTopicConfig(topic: string, setting: string): string {
  return `kafka-configs.sh --bootstrap-server "$BROKERS" --alter --entity-type topics --entity-name ${shellWord(topic)} --add-config ${shellWord(setting)}`;
}

export function deleteTopic(topic: string): string {
  return `kafka-topics.sh --bootstrap-server "$BROKERS" --delete --topic ${shellWord(topic)}`;
}

/** A request to Connect about one connector; `path` begins after its name and is ours, not input. */
export function connectorRequest(
  method: "GET" | "PUT" | "POST" | "PATCH",
  connector: string,
  path: string,
  body?: string,
): string {
  const verb = method === "GET" ? "" : ` -X ${method}`;
  const data =
    body === undefined
      ? ""
      : ` -H 'Content-Type: application/json' --data '${body.replaceAll("'", "'\\''")}'`;
  return `curl -fsS${verb}${data} "$CONNECT_URL/connectors/${pathSegment(connector)}${path}"`;
}

/** Changes only the settings given; null removes one. Connect 3.8 and later (KIP-477). */
export function patchConfig(connector: string, changes: Record<string, string | null>): string {
  return connectorRequest("PATCH", connector, "/config", JSON.stringify(changes));
}

export function stopStep(connector: string): RemedyStep {
  return {
    text: `Stop ${connector}; its offsets are kept.`,
    command: connectorRequest("PUT", connector, "/stop"),
  };
}

export function resumeStep(connector: string): RemedyStep {
  return { text: `Resume ${connector}.`, command: connectorRequest("PUT", connector, "/resume") };
}

export function restartFailedStep(connector: string): RemedyStep {
  return {
    text: "When the cause is gone, start again what failed.",
    command: connectorRequest("POST", connector, "/restart?includeTasks=true&onlyFailed=true"),
  };
}
