// What an error of pg, of Prisma over pg, or of the network says of the database. Prisma hides the driver's error in `meta` or `cause`.
import { DatabaseError } from "pg";

/** PostgreSQL's own code; null when it is not PostgreSQL that refused. */
export function sqlStateOf(error: unknown): string | null {
  for (const one of chain(error)) {
    if (one instanceof DatabaseError) return one.code ?? null;
    const state = text(one, "originalCode");
    if (state !== null && /^[0-9A-Z]{5}$/.test(state)) return state;
  }
  return null;
}

/** 57P01 … 57P04: the server stops, crashed, starts, or the database is dropped; class 08: the connection; 53300: it has no place. */
const GONE_STATE = /^(57P0[1-4]|08...|53300)$/;
/** Prisma's own: not reachable, timed out, closed, no session, the transaction was closed under us. */
const GONE_PRISMA = new Set(["P1001", "P1002", "P1008", "P1017", "P1018", "P2024", "P2028"]);
const GONE_SOCKET = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "ENOTFOUND",
  "EAI_AGAIN",
  "ETIMEDOUT",
  "EPIPE",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOENT",
]);
/** pg's own sentences about a session that ended, which have no code. */
const GONE_WORDS =
  /\b(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|Query read timeout)/;

/** The database cannot be reached, or its session broke: whoever asks again later may succeed, and what was in flight may have been done. */
export function isGone(error: unknown): boolean {
  const state = sqlStateOf(error);
  if (state !== null) return GONE_STATE.test(state);
  return chain(error).some((one) => {
    const code = text(one, "code") ?? "";
    return GONE_PRISMA.has(code) || GONE_SOCKET.has(code) || GONE_WORDS.test(text(one, "message") ?? "");
  });
}

/** A deadlock, a conflict, a lock or a statement that took too long: PostgreSQL has undone it all, and it may be asked for again. */
export function isUndone(error: unknown): boolean {
  return ["40001", "40P01", "55P03", "57014"].includes(sqlStateOf(error) ?? "");
}

/** What it comes to, in words that quote no address with a password in it. */
export function wordsOf(error: unknown): string {
  const found = chain(error);
  const state = sqlStateOf(error);
  if (state !== null) {
    const said = found.map((one) => text(one, "originalMessage") ?? (one instanceof DatabaseError ? one.message : null));
    return `${state}: ${said.find((one) => one !== null) ?? "no"}`;
  }
  const code = found.map((one) => text(one, "code") ?? "").find((one) => GONE_SOCKET.has(one)) ?? "";
  // Prisma puts its own call before what the driver said.
  const said = (found.map((one) => text(one, "message")).find((one) => one) ?? "").trim().split("\n").at(-1) ?? "";
  const plain = said.replace(/^Raw query failed\..* Message: `(.*)`\.?$/, "$1").replaceAll(/\b[a-z+]+:\/\/\S+/gi, "…");
  return plain === "" || plain.includes(code) ? plain || code || "it says nothing" : `${code}: ${plain}`;
}

const DEPTH = 8;

/** The error and what lies below it, outermost first. */
function chain(error: unknown): readonly object[] {
  const found: object[] = [];
  for (let next: unknown[] = [error]; next.length > 0 && found.length < DEPTH; ) {
    const one = next.shift();
    if (typeof one !== "object" || one === null) continue;
    found.push(one);
    const inner = own(one, "meta");
    next = [...next, own(inner, "driverAdapterError"), own(one, "cause")];
  }
  return found;
}

function own(of: unknown, name: string): unknown {
  return typeof of === "object" && of !== null ? Reflect.get(of, name) : undefined;
}

function text(of: object, name: string): string | null {
  const value = own(of, name);
  return typeof value === "string" ? value : null;
}
