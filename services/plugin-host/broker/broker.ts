// The only way from a plugin to the network. Money can be lost here; the tests quote these numbers.
//
// 1. Nothing leaves before URL, host, port, method and headers are allowed, the name's every address is public, and the other end of the
//    connected socket is, too. Each redirect is held against all of it again.
// 2. `left` is set before the first byte of a request may be written, and is never taken back.
// 3. Ambiguous is exactly: a byte may have left, the operation may have effects, and no whole answer can be told. Without a byte it is known
//    that nothing happened; where an operation only reads, nothing can have.
// 4. A secret's value is put in after the last check, into what the plugin asked for and into nothing that a server chose; no message and no
//    URL that is told holds one.
// 5. A connection carries one request and is never used again: nothing is sent twice by itself.
// 6. The key's header is the platform's: a keyed operation without one is refused, and what the plugin set there is overwritten.
// 7. Once the call's time is over no request begins to leave, however late its timer is: it is looked at in the turn that writes. What the
//    network had not taken yet of one that is given up is taken back with its connection.
import type { Manifest, Part } from "@woml/capability";
import { type BrokerAnswer, type EgressCode, Loss, Refusal } from "./answer.ts";
import { type Dial, type Dialling, dialTcp, type Resolve, resolvePublic, resolveTrusted } from "./dial.ts";
import type { Progress } from "./exchange.ts";
import { filling } from "./fill.ts";
import { follow } from "./follow.ts";
import type { Rules } from "./permit.ts";
import { type Redactor, redactor } from "./redact.ts";
import { parseRequest } from "./request.ts";

/** One request of a plugin, with all that it is judged by. The request itself is what the plugin sent: it is parsed here. */
export interface BrokerAsk {
  readonly tenant: string;
  readonly manifest: Pick<Manifest, "id" | "permissions">;
  readonly effect: "pure" | "keyed" | "reattachable" | "unsafe";
  /** It is asked within a `reattach`: it may only read, and no answer to it is ambiguous. */
  readonly reattach: boolean;
  /** `idempotencyOf(…)`; for `keyed` it must be there. The broker sets the header itself, whatever the plugin did. */
  readonly idempotency: { readonly header: string; readonly value: string } | null;
  readonly request: unknown;
  /** Texts minted for this call, each for one handle of its input. Letters, digits and `_` only, at least 16 of them. */
  readonly placeholders: ReadonlyMap<string, Part>;
  /** Values by name: those of the placeholders, and those that the manifest declares. */
  readonly secrets: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** When the call's time is over, by `BrokerOptions.monotonic`. */
  readonly until: number;
}

export interface Broker {
  /** Never rejects. */
  request(asked: BrokerAsk): Promise<BrokerAnswer>;
  /** Ends what is under way, each as its class says. */
  close(): Promise<void>;
}

export interface BrokerOptions {
  /** `host:port` exactly as a URL names it; an operator allows these although their address is private. */
  readonly privateHosts?: readonly string[];
  /** The platform's own names, `host` or `host:port`: refused, whatever they resolve to. */
  readonly ownHosts?: readonly string[];
  /** Certificate authorities besides the usual ones, PEM. */
  readonly authorities?: readonly string[];
  /** In place of the name servers and of the network; for tests. */
  readonly resolve?: Resolve;
  readonly dial?: Dial;
  /** Milliseconds that go on while the process is stopped. */
  readonly monotonic?: () => number;
}
const ALL_IN_FLIGHT = 256;
const TENANT_IN_FLIGHT = 64;
const LONGEST_MS = 2_147_483_647;
/** Asking again would be answered the same. */
const LASTING: ReadonlySet<EgressCode> = new Set(["WOML_EGRESS_ANSWER_TOO_LARGE", "WOML_EGRESS_ANSWER_INVALID"]);

export function openBroker(options: BrokerOptions = {}): Broker {
  const { privateHosts = [], ownHosts = [], authorities = [], dial = dialTcp, monotonic = () => performance.now() } = options;
  const hosts = { privateHosts: lower(privateHosts), ownHosts: lower(ownHosts) };
  const names = { resolve: options.resolve ?? resolvePublic, resolveTrusted: options.resolve ?? resolveTrusted };
  const places: Places = { hosts, monotonic, dialling: { ...names, dial, authorities } };
  const tenants = new Map<string, number>();
  const running = new Map<AbortController, Promise<unknown>>();
  let closed = false;
  const request = async (asked: BrokerAsk): Promise<BrokerAnswer> => {
    const own = tenants.get(asked.tenant) ?? 0;
    if (closed || running.size >= ALL_IN_FLIGHT || own >= TENANT_IN_FLIGHT) {
      return { status: "failed", code: "WOML_EGRESS_BUSY", message: "Too many requests are under way.", retryable: true };
    }
    tenants.set(asked.tenant, own + 1);
    const stop = new AbortController();
    const answer = perform(asked, places, stop);
    running.set(stop, answer);
    return answer.finally(() => {
      running.delete(stop);
      const left = (tenants.get(asked.tenant) ?? 1) - 1;
      if (left === 0) tenants.delete(asked.tenant);
      else tenants.set(asked.tenant, left);
    });
  };
  const close = async (): Promise<void> => {
    closed = true;
    const all = [...running.values()];
    for (const stop of running.keys()) stop.abort(new Loss("WOML_EGRESS_CANCELLED", "The broker closed."));
    await Promise.allSettled(all);
  };
  return { request, close };
}

interface Places {
  readonly hosts: Pick<Rules, "privateHosts" | "ownHosts">;
  readonly dialling: Dialling;
  readonly monotonic: () => number;
}

async function perform(asked: BrokerAsk, { hosts, dialling, monotonic }: Places, stop: AbortController): Promise<BrokerAnswer> {
  const { manifest, reattach, signal } = asked;
  const readOnly = reattach || asked.effect === "pure";
  const progress: Progress = { left: false };
  const known = redactor(asked.secrets);
  const onAbort = (): void => stop.abort(new Loss("WOML_EGRESS_CANCELLED", "The answer is not wanted any more."));
  let timer: NodeJS.Timeout | undefined;
  if (signal.aborted) onAbort();
  else signal.addEventListener("abort", onAbort, { once: true });
  try {
    const request = parseRequest(asked.request);
    const idempotency = reattach ? null : asked.idempotency;
    if (asked.effect === "keyed" && !reattach && idempotency === null) {
      throw new Refusal("WOML_EGRESS_KEY_MISSING", "The operation is keyed, and neither manifest nor input names the header of its key.");
    }
    const now = monotonic();
    const until = Math.min(asked.until, now + (request.timeoutMs ?? LONGEST_MS));
    timer = setTimeout(() => stop.abort(timeOver()), Math.min(LONGEST_MS, Math.max(0, until - now)));
    const response = await follow({
      asked: request,
      rules: { manifest, readOnly, ...hosts },
      dialling,
      composing: { permissions: manifest.permissions, idempotency },
      judging: filling(asked, true),
      real: filling(asked, false),
      progress,
      late: () => (monotonic() < until ? null : timeOver()),
      signal: stop.signal,
    });
    return { status: "answered", response: { ...response, url: known.text(response.url) } };
  } catch (error) {
    return judged(error, progress.left && !readOnly, known);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", onAbort);
  }
}

const timeOver = (): Loss => new Loss("WOML_EGRESS_TIMEOUT", "The request's time was over.");

function judged(error: unknown, ambiguous: boolean, known: Redactor): BrokerAnswer {
  const expected = error instanceof Refusal || error instanceof Loss;
  // Anything else is a request that could not be put together: deeper than a stack, say.
  const code = expected ? error.code : "WOML_EGRESS_REQUEST_INVALID";
  const message = expected ? known.text(error.message) : "The request could not be made.";
  if (ambiguous) return { status: "ambiguous", code, message };
  if (error instanceof Loss) return { status: "failed", code, message, retryable: !LASTING.has(code) };
  return { status: "refused", code, message };
}

function lower(hosts: readonly string[]): ReadonlySet<string> {
  return new Set(hosts.map((host) => host.toLowerCase()));
}
