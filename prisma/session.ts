import { type ClientConfig, types } from "pg";

/** PostgreSQL's clock in epoch milliseconds. */
export const MS = "floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint";
const INT8 = 20;

/** Ours are counts and epoch milliseconds: far below 2^53. */
const parsers = {
  getTypeParser: (oid: number, format?: "text" | "binary") =>
    oid === INT8 ? Number : format === "binary" ? types.getTypeParser(oid, format) : types.getTypeParser(oid, "text"),
};

/**
 * A session of the engine. A statement ends within 5 s and waits 250 ms for a lock; an answer that is not there after 8 s counts as lost,
 * and the session with it.
 */
export function engineSession(url: string): ClientConfig {
  return {
    connectionString: url,
    application_name: "woml-engine",
    statement_timeout: 5000,
    lock_timeout: 250,
    idle_in_transaction_session_timeout: 10_000,
    query_timeout: 8000,
    connectionTimeoutMillis: 5000,
    keepAlive: true,
    options: "-c jit=off",
    types: parsers,
  };
}

/**
 * The session of the appends: the statement is planned once, for its plan is the same at every size (each table by its primary key). Seen:
 * 0.8 ms an append instead of 1.3.
 */
export function appendSession(url: string): ClientConfig {
  return { ...engineSession(url), options: "-c jit=off -c plan_cache_mode=force_generic_plan" };
}
