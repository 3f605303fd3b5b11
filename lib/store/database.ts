import { PrismaPg } from "@prisma/adapter-pg";
import { isConnectionFault, isLostRace, shortCause } from "./database-faults";
import { type Prisma, PrismaClient } from "./generated/client";

/** Runs statements: the client itself, or one transaction of it. */
export type Statements = Omit<PrismaClient, "$connect" | "$disconnect" | "$extends" | "$on" | "$transaction">;

/** Our database could not be asked. What is stored is safe; try again. */
export class DatabaseUnavailable extends Error {
  override name = "DatabaseUnavailable";
  /** By name: Next loads this module more than once into one process, and each copy has a class of its own. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return value instanceof Error && value.name === "DatabaseUnavailable";
  }
}

/** Tidemark's PostgreSQL. Everything but `close` is for lib/store alone. */
export interface Database {
  /** Runs work that needs no transaction. @throws DatabaseUnavailable when there is no connection to be had */
  run<T>(work: (statements: Statements) => Promise<T>): Promise<T>;
  /**
   * Runs work as one transaction, and once more if another process got in its way.
   * @throws DatabaseUnavailable when there is no connection to be had, or it was lost before the commit was known
   */
  transaction<T>(work: (statements: Prisma.TransactionClient) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** Time limits in milliseconds, and connections a process holds at most. */
const limits = { connect: 3_000, statement: 10_000, transaction: 20_000, connections: 5 };

/** Opens a pool on a PostgreSQL. Connects at the first use, and again after a loss. */
export function openDatabase(url: string): Database {
  const adapter = new PrismaPg({
    connectionString: url,
    application_name: "tidemark",
    max: limits.connections,
    connectionTimeoutMillis: limits.connect,
    statement_timeout: limits.statement,
    // The server's own limit does not help when the server no longer answers.
    query_timeout: limits.statement + 2_000,
    keepAlive: true,
  });
  const client = new PrismaClient({
    adapter,
    transactionOptions: { maxWait: limits.statement, timeout: limits.transaction },
  });
  const reached = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      if (!isConnectionFault(error)) throw error;
      throw new DatabaseUnavailable(`Tidemark's database does not answer: ${shortCause(error)}.`, {
        cause: error,
      });
    }
  };
  return {
    run: (work) => reached(() => work(client)),
    transaction: (work) =>
      reached(async () => {
        try {
          return await client.$transaction(work);
        } catch (error) {
          if (!isLostRace(error)) throw error;
          return await client.$transaction(work);
        }
      }),
    close: () => client.$disconnect(),
  };
}
