// The door for webhooks: `POST /t/<tenant>/hooks/<path>`. In what order it looks is the language's law (hook-verified.ts, H1).
import { readTraceparent, type Span } from "@woml/boot";
import type { TenantId } from "@woml/run";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { type ApiCode, ApiError, CODES } from "./errors.ts";
import { openGate } from "./gate.ts";
import { type Accepted, admitHook } from "./hook-admit.ts";
import { Bodies } from "./hook-body.ts";
import { type Finding, type Hook, openFinding } from "./hook-find.ts";
import type { DoorSecrets } from "./hook-key.ts";
import { HookLog, type Rejected } from "./hook-log.ts";
import { acceptBySchema, readPayload } from "./hook-payload.ts";
import { acceptType, headersOf, identityOf, signingSecrets, verifyBearer, verifySignature } from "./hook-verified.ts";
import { namedIn } from "./hook-verify/in-body.ts";
import type { ControlOptions } from "./index.ts";
import { Lacks } from "./lacks.ts";
import { openLane } from "./lane.ts";
import { HOOK_LOOKS, LANE, LARGE_BODY, QUICK_STEPS } from "./limits.ts";
import { asMeant } from "./meant.ts";
import { mount } from "./mount.ts";
import { present } from "./present.ts";
import { Together } from "./together.ts";

const PLACE = "/t/:tenant/hooks/*";
/** Exactly as it was sent: what can be written in two ways is two paths. */
const PATH = /^\/t\/[^/?#]+\/hooks(\/[^?#]*)/;
/** Whoever takes longer to send is judged by what stands then. */
const FRESH_MS = 1_000;

export interface HookParts {
  readonly options: ControlOptions;
  readonly secrets: DoorSecrets;
  readonly isStopping: () => boolean;
}

export async function addHooks(app: FastifyInstance, parts: HookParts): Promise<void> {
  const door = new Door(parts);
  await mount(app, PLACE, async (request, reply) => door.serve(request, reply));
}

/** What has come, and what it is judged by. */
interface Came {
  readonly hook: Hook;
  readonly header: ReturnType<typeof headersOf>;
  readonly bytes: Buffer;
}

/** What is known of a delivery by the time at which it fails. */
interface Known {
  hook: Hook | null;
  secret: string | null;
  source: string | null;
  bytes: Buffer | null;
  payload: Rejected["payload"];
}

class Door {
  readonly #parts: HookParts;
  readonly #finding: Finding;
  readonly #journal: HookLog;
  readonly #looks = openGate(HOOK_LOOKS);
  readonly #together = new Together<Hook | null>();
  readonly #bodies = new Bodies();
  readonly #lane = openLane(openGate(LANE));
  readonly #lacks: Lacks;

  constructor(parts: HookParts) {
    this.#parts = parts;
    this.#journal = new HookLog(parts.options);
    this.#lacks = new Lacks(parts.options.log);
    this.#finding = openFinding({ store: parts.options.store, secrets: parts.secrets, log: parts.options.log });
  }

  async serve(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { telemetry } = this.#parts.options;
    const clock = performance.now();
    const parent = readTraceparent(request.headers["traceparent"]);
    const span = telemetry.span("webhook", { parent, kind: "server", attributes: { request: request.id } });
    const known: Known = { hook: null, secret: null, source: null, bytes: null, payload: undefined };
    const told = (outcome: string): void => {
      span.end(outcome === "ok" ? undefined : outcome);
      telemetry.count("woml_requests_total", 1, { operation: "webhook", outcome });
      telemetry.observe("woml_request_ms", performance.now() - clock, { operation: "webhook" });
    };
    try {
      const accepted = await this.#bodies.admit(() => this.#take(request, known, span));
      told("ok");
      return send(reply.code(202), accepted);
    } catch (error) {
      const refusal = this.#refusalOf(error, request);
      await this.#write(refusal, error, known);
      told(refusal.code);
      return refuse(reply, request, refusal);
    }
  }

  async #take(request: FastifyRequest, known: Known, span: Span): Promise<Accepted> {
    if (this.#parts.isStopping())
      throw new ApiError("WOML_RUNTIME_NOT_READY", "the platform takes nothing just now", { retryAfterMs: 1_000 });
    const hook = await this.#find(request);
    const found = performance.now();
    span.set({ tenant: hook.tenant });
    if (request.method !== "POST") throw new ApiError("WOML_TRIGGER_METHOD_NOT_ALLOWED", "a webhook is sent with POST");
    known.hook = hook;
    const header = headersOf(request);
    const bearer = verifyBearer(hook, header);
    if (hook.verification !== null) signingSecrets(hook, hook.verification);
    else {
      known.secret = bearer;
      acceptType(header);
    }
    return this.#bodies.run({ who: hook.tenant, request: request.raw }, async (bytes) => {
      known.bytes = bytes;
      let seen = performance.now() - found > FRESH_MS ? null : hook;
      return asMeant(async () => {
        const by = seen ?? (await this.#find(request));
        seen = null;
        return this.#admit({ hook: by, header, bytes }, known, span);
      });
    });
  }

  /** Of one whose bytes have come. */
  async #admit({ hook, header, bytes }: Came, known: Known, span: Span): Promise<Accepted> {
    const { verification } = hook;
    known.hook = hook;
    const bearer = verifyBearer(hook, header);
    const signed =
      verification === null ? null : verifySignature({ header, bytes, now: Date.now() }, verification, signingSecrets(hook, verification));
    known.secret = signed === null ? bearer : signed.secret;
    const delivery = signed?.delivery ?? null;
    acceptType(header);
    const read = async (steps?: number): Promise<boolean> => {
      known.payload = readPayload(bytes);
      return acceptBySchema(known.payload, hook.schema, steps);
    };
    const isQuick = bytes.length <= LARGE_BODY && !hook.isLarge && (await read(QUICK_STEPS));
    if (!isQuick) await this.#lane.run({ who: hook.tenant, bytes: 0 }, () => read());
    const { secret, payload = {} } = known;
    const named = verification === null ? null : namedIn(verification, payload);
    const identity = identityOf(header, { payload, delivery, named });
    known.source = identity.source;
    return admitHook(this.#parts.options, { hook, bytes, payload, secret, ...identity, trace: span.traceparent });
  }

  async #find(request: FastifyRequest): Promise<Hook> {
    const { tenant: name = "" } = request.params as { readonly tenant?: string };
    const path = PATH.exec(request.raw.url ?? "")?.[1] ?? "";
    const tenant = this.#finding.known(name) ?? (await this.#looks.run({ who: "", bytes: 0 }, () => this.#finding.tenant(name)));
    const found = tenant === null ? null : await this.#hookOf(tenant, path);
    if (found !== null) return found;
    // Not waited for: how long the answer takes does not say that there is such a tenant.
    if (tenant !== null && request.headers.authorization !== undefined)
      void this.#journal.strayed({ tenant, kind: "webhook", code: "WOML_TRIGGER_NOT_FOUND" });
    throw new ApiError("WOML_TRIGGER_NOT_FOUND", "nothing is here");
  }

  /** All who come for it at once share a look at it, one that began after they came. */
  #hookOf(tenant: TenantId, path: string): Promise<Hook | null> {
    const look = (): Promise<Hook | null> => this.#looks.run({ who: tenant, bytes: 0 }, () => this.#finding.hook(tenant, path));
    return this.#together.ask(`${tenant} ${path}`, look);
  }

  /** Who was refused and what was rejected is written down; what the platform could not do is not the sender's. */
  async #write({ code }: ApiError, error: unknown, known: Known): Promise<void> {
    const { hook } = known;
    if (hook === null || !(error instanceof ApiError)) return;
    const { reason } = error.details;
    if (code === "WOML_TRIGGER_UNAUTHORIZED") return this.#journal.refused({ hook, code, reason: String(reason) });
    const { status } = statusOf(error);
    // A conflict was written down with the delivery that it came to.
    if (status >= 500 || status === 409 || status === 429) return;
    await this.#journal.rejected({ ...known, hook, code, message: error.message });
  }

  #refusalOf(error: unknown, request: FastifyRequest): ApiError {
    const { log } = this.#parts.options;
    const { message, extensions } = present(error, request.id, log);
    const { code, requestId: _, ...details } = extensions;
    if (code === "WOML_WEBHOOK_SECRET_MISSING") this.#lacks.tell(String(details["secrets"]));
    if (code === "WOML_OVERLOADED" || code === "WOML_DATABASE_INTERRUPTED")
      return new ApiError("WOML_TRIGGER_UNAVAILABLE", message, { retryAfterMs: 1_000 });
    return new ApiError(code, message, details);
  }
}

/** Of codes whose status is another where a whole query is refused. */
const STATUS: Partial<Record<ApiCode, number>> = { WOML_IDEMPOTENCY_KEY_INVALID: 400 };

function statusOf({ code }: ApiError): { readonly status: number } {
  return { status: STATUS[code] ?? CODES[code] };
}

export function refuse(reply: FastifyReply, request: FastifyRequest, refusal: ApiError): FastifyReply {
  const { code, message, details } = refusal;
  const { status } = statusOf(refusal);
  const { issues, retryAfterMs = 1_000 } = details;
  if (status === 503 || status === 429) void reply.header("retry-after", String(Math.max(1, Math.ceil(Number(retryAfterMs) / 1_000))));
  if (status === 405) void reply.header("allow", "POST");
  if (status === 401) void reply.header("www-authenticate", "Bearer");
  if (status === 413) void reply.header("connection", "close");
  if (status === 415) void reply.header("accept-encoding", "identity");
  return send(reply.code(status), { error: { code, message, ...(issues === undefined ? {} : { issues }) }, requestId: request.id });
}

export function send(reply: FastifyReply, answer: object): FastifyReply {
  return reply.header("cache-control", "no-store").type("application/json; charset=utf-8").send(JSON.stringify(answer));
}
