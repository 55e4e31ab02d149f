import { type ClientConfig, types } from "pg";
import type { Service } from "./role.ts";
import { ROLES } from "./role.ts";

/** How a service's sessions are opened. */
export interface SessionOptions {
  /**
   * The URL names a user that is more than this service: every session begins as the service's role (`SET ROLE`). Absent or false: it is
   * the service's own role that the URL names.
   */
  readonly setRole?: boolean;
}

/** Where and as whom a service's session begins. What the URL itself sets as `options` stays, before ours. */
export function placed(url: string, service: Service, { setRole = false }: SessionOptions, settings = ""): string {
  const place = new URL(url);
  const own = place.searchParams.get("options");
  const options = [own, "-c jit=off", settings, setRole ? `-c role=${ROLES[service]}` : ""].filter((one) => one);
  place.searchParams.set("options", options.join(" "));
  return place.href;
}

/** PostgreSQL's clock in epoch milliseconds. */
export const MS = "floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint";
const INT8 = 20;

/** Ours are counts and epoch milliseconds: far below 2^53. */
const parsers = {
  getTypeParser: (oid: number, format?: "text" | "binary") =>
    oid === INT8 ? Number : format === "binary" ? types.getTypeParser(oid, format) : types.getTypeParser(oid, "text"),
};

/**
 * A session of the engine at a place (`placed`). A statement ends within 5 s and waits 250 ms for a lock; an answer that is not there after 8 s counts as lost,
 * and the session with it.
 */
export function engineSession(place: string): ClientConfig {
  return {
    connectionString: place,
    application_name: "woml-engine",
    statement_timeout: 5000,
    lock_timeout: 250,
    idle_in_transaction_session_timeout: 10_000,
    query_timeout: 8000,
    connectionTimeoutMillis: 5000,
    keepAlive: true,
    types: parsers,
  };
}

/**
 * What the session of the appends sets besides: the statement is planned once, for its plan is the same at every size (each table by its
 * primary key). Seen: 0.8 ms an append instead of 1.3.
 */
export const APPENDS = "-c plan_cache_mode=force_generic_plan";
