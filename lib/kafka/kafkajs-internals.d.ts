// The parts of kafkajs 2.2.4 below its public API, typed as far as they are used. Its admin client cannot be used to
// watch topics: one missing topic makes each later refresh fail, one bad topic fails an answer about many, and offsets
// are the last stable ones.

interface KafkaWireCall {
  /** `encode` gives an Encoder of kafkajs, or what it takes for one: both fields hold the bytes of the body. */
  request: { apiKey: number; apiVersion: number; apiName: string; encode(): Promise<unknown> };
  response: { decode(data: Uint8Array): Promise<unknown>; parse(decoded: unknown): Promise<unknown> };
}

declare module "kafkajs/src/network/connection.js" {
  class Connection {
    send(call: KafkaWireCall): Promise<unknown>;
    /** Takes what came, and gives each whole answer to the request it is for. */
    processData(data: Buffer): void;
    /** What came of an answer that is not whole yet. */
    chunks: Buffer[];
    bytesBuffered: number;
  }
  export = Connection;
}

declare module "kafkajs/src/network/connectionPool.js" {
  import type { Socket } from "node:net";
  import type { ConnectionOptions } from "node:tls";
  import type { LogEntry } from "kafkajs";
  import type Connection from "kafkajs/src/network/connection.js";

  interface SilentLogger {
    namespace(): SilentLogger;
    info(message: string, extra?: LogEntry): void;
    error(message: string, extra?: LogEntry): void;
    warn(message: string, extra?: LogEntry): void;
    debug(message: string, extra?: LogEntry): void;
  }
  interface ConnectionPoolOptions {
    host: string;
    port: number;
    ssl: ConnectionOptions | null;
    sasl: { mechanism: string; username: string; password: string } | null;
    clientId: string;
    connectionTimeout: number;
    requestTimeout: number;
    enforceRequestTimeout: boolean;
    logger: SilentLogger;
    socketFactory(target: {
      host: string;
      port: number;
      ssl: ConnectionOptions | null;
      onConnect: () => void;
    }): Socket;
  }
  class ConnectionPool {
    constructor(options: ConnectionPoolOptions);
    /** Connects first where needed. */
    getConnectionByRequest(call: KafkaWireCall): Promise<Connection>;
    /** For each of its connections, open or not. */
    map<T>(each: (connection: Connection) => T): T[];
    destroy(): Promise<void>;
  }
  export = ConnectionPool;
}

declare module "kafkajs/src/broker/index.js" {
  import type ConnectionPool from "kafkajs/src/network/connectionPool.js";

  class Broker {
    constructor(options: {
      connectionPool: ConnectionPool;
      logger: unknown;
      authenticationTimeout: number;
      allowAutoTopicCreation: boolean;
    });
    readonly versions: Record<number, { minVersion: number; maxVersion: number }> | null;
    isConnected(): boolean;
    connect(): Promise<void>;
  }
  export = Broker;
}

declare module "kafkajs/src/protocol/error.js" {
  const errors: { createErrorFromCode(code: number): Error & { type: string; code: number } };
  export = errors;
}
