import { ClientError } from "./client-error.ts";

const PATIENCE_MS = 30_000;

/** Asks once; answers `data` or rejects with a ClientError. */
export type Ask = (query: string, variables: Readonly<Record<string, unknown>>) => Promise<Readonly<Record<string, unknown>>>;

/** Speaks GraphQL over HTTP with one key. A redirect is refused: the key belongs to this URL alone. */
export function openTransport(url: string, key: string): Ask {
  return async (query, variables) => {
    const response = await send(url, key, JSON.stringify({ query, variables }));
    const answer = await read(response);
    const [refusal] = Array.isArray(answer["errors"]) ? answer["errors"] : [];
    if (refusal !== undefined) throw refused(refusal, response.status);
    if (!isRecord(answer["data"])) throw unreadable(response.status);
    return answer["data"];
  };
}

async function send(url: string, key: string, body: string): Promise<Response> {
  const headers = { "content-type": "application/json", authorization: `Bearer ${key}` };
  // fetch refuses these too, and says them aloud.
  if (!/^[!-~]+$/.test(key)) throw new ClientError("WOML_UNAUTHENTICATED", "the key holds characters that no key has", 0);
  if (/^[^/?#]*\/\/[^/?#]*@/.test(url)) throw new ClientError("WOML_UNREACHABLE", "an address holds no name and no password", 0);
  try {
    return await fetch(url, { method: "POST", headers, body, redirect: "error", signal: AbortSignal.timeout(PATIENCE_MS) });
  } catch (error) {
    throw new ClientError("WOML_UNREACHABLE", `nothing answers at ${url}: ${reason(error)}`, 0);
  }
}

async function read(response: Response): Promise<Record<string, unknown>> {
  try {
    const answer: unknown = await response.json();
    if (isRecord(answer)) return answer;
  } catch {
    // Not JSON, or cut off: said below.
  }
  throw unreadable(response.status);
}

function refused(refusal: unknown, status: number): ClientError {
  if (!isRecord(refusal) || !isRecord(refusal["extensions"])) throw unreadable(status);
  const { code, ...details } = refusal["extensions"];
  return new ClientError(String(code), String(refusal["message"]), status, details);
}

function unreadable(status: number): ClientError {
  return new ClientError("WOML_ANSWER_UNREADABLE", `the answer (HTTP ${status}) is not one of a WOML platform`, status);
}

/** fetch says only "fetch failed"; why is in its cause. */
function reason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error && error.cause.message !== "" ? error.cause.message : error.message;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
