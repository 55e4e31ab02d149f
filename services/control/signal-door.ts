// The door for signals: `POST /t/<tenant>/events/<name>` with a bearer and an `Event-ID`. It reaches the triggers that have a secret, and of these those whose
// secret the bearer is. INVARIANTS
// V1 Nothing of a body is read before it is known for whom it is: the bearer is compared with every secret of the name, and how long that takes says nothing.
// V2 Who is reached is asked again in the transaction that starts them: what was taken out of use meanwhile, or had its secret changed to another, is not.
import { SHARED } from "@woml/boot";
import { signalFault } from "@woml/model";
import { isPlatformSignal, type TenantId } from "@woml/run";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { signalIdOf } from "./emit.ts";
import { type ApiCode, ApiError } from "./errors.ts";
import { openGate } from "./gate.ts";
import { Bodies } from "./hook-body.ts";
import { type HookParts, refuse, send } from "./hook-door.ts";
import { type Finding, openFinding } from "./hook-find.ts";
import { HookLog } from "./hook-log.ts";
import { readPayload } from "./hook-payload.ts";
import { acceptType, headersOf } from "./hook-verified.ts";
import type { KnownSecret } from "./hook-verify/came.ts";
import { isSame } from "./hook-verify/compare.ts";
import { Lacks } from "./lacks.ts";
import { openLane } from "./lane.ts";
import { HOOK_LOOKS, LANE, LARGE_BODY } from "./limits.ts";
import { mount } from "./mount.ts";
import { present } from "./present.ts";
import { type Emitted, fanOut, inTurn } from "./signal.ts";
import { Together } from "./together.ts";

const PLACE = "/t/:tenant/events/:name";
const BEARER = /^Bearer +([^\s]+) *$/i;

export async function addSignals(app: FastifyInstance, parts: HookParts): Promise<void> {
  const door = new SignalDoor(parts);
  await mount(app, PLACE, async (request, reply) => door.serve(request, reply));
}

/** A name that somebody outside may emit, and who listens to it with which secrets. */
interface Open {
  readonly tenant: TenantId;
  readonly name: string;
  readonly secrets: readonly string[];
  readonly known: readonly KnownSecret[];
}

class SignalDoor {
  readonly #parts: HookParts;
  readonly #finding: Finding;
  readonly #looks = openGate(HOOK_LOOKS);
  readonly #together = new Together<Open | null>();
  readonly #bodies = new Bodies();
  readonly #lacks: Lacks;
  readonly #journal: HookLog;
  readonly #lane = openLane(openGate(LANE));

  constructor(parts: HookParts) {
    this.#parts = parts;
    this.#journal = new HookLog(parts.options);
    this.#lacks = new Lacks(parts.options.log);
    this.#finding = openFinding({ store: parts.options.store, secrets: parts.secrets, log: parts.options.log });
  }

  async serve(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { telemetry } = this.#parts.options;
    const clock = performance.now();
    const told = (outcome: string): void => {
      telemetry.count("woml_requests_total", 1, { operation: "signal", outcome });
      telemetry.observe("woml_request_ms", performance.now() - clock, { operation: "signal" });
    };
    try {
      const emitted = await this.#bodies.admit(() => this.#take(request));
      told("ok");
      return send(reply.code(emitted.status === "rejected" ? 400 : 202), emitted);
    } catch (error) {
      const refusal = this.#refusalOf(error, request);
      told(refusal.code);
      return refuse(reply, request, refusal);
    }
  }

  async #take(request: FastifyRequest): Promise<Emitted> {
    if (this.#parts.isStopping())
      throw new ApiError("WOML_EVENT_UNAVAILABLE", "the platform takes nothing just now", { retryAfterMs: 1_000 });
    const open = await this.#find(request);
    if (request.method !== "POST") throw new ApiError("WOML_EVENT_METHOD_NOT_ALLOWED", "a signal is sent with POST");
    const header = headersOf(request);
    const believed = await this.#believed(open, header("authorization"));
    const id = idOf(header("event-id"));
    acceptType(header);
    return this.#bodies.run({ who: open.tenant, request: request.raw }, async (bytes) => {
      const read = async (): Promise<ReturnType<typeof readPayload>> => readPayload(bytes);
      const payload = await (bytes.length > LARGE_BODY ? this.#lane.run({ who: open.tenant, bytes: 0 }, read) : read());
      const { store, doorbell } = this.#parts.options;
      const emitted = await inTurn(open.tenant, (steps) =>
        store.withTenant(open.tenant, async (scope) => {
          const reached = await scope.subscribersBy(open.name, believed);
          return fanOut(scope, { id, name: open.name, payload, trace: null, isDelivery: true, steps }, reached);
        }),
      );
      if (emitted.accepted > 0) doorbell.ring(SHARED);
      return emitted;
    });
  }

  async #find(request: FastifyRequest): Promise<Open> {
    const { tenant: of = "", name = "" } = request.params as { readonly tenant?: string; readonly name?: string };
    const tenant = this.#finding.known(of) ?? (await this.#looks.run({ who: "", bytes: 0 }, () => this.#finding.tenant(of)));
    const found = tenant === null || !isForOthers(name) ? null : await this.#openOf(tenant, name);
    if (found !== null) return found;
    // Not waited for: how long the answer takes does not say that there is such a tenant.
    if (tenant !== null && request.headers.authorization !== undefined)
      void this.#journal.strayed({ tenant, kind: "signal", code: "WOML_EVENT_NOT_FOUND" });
    throw new ApiError("WOML_EVENT_NOT_FOUND", "nothing is here");
  }

  /** All who come for it at once share a look at it, one that began after they came. */
  #openOf(tenant: TenantId, name: string): Promise<Open | null> {
    const { options, secrets } = this.#parts;
    const look = (): Promise<Open | null> =>
      options.store.withTenant(tenant, async (scope) => {
        const names = await scope.signalSecrets(name);
        return names.length === 0 ? null : { tenant, name, secrets: names, known: await secrets.known(scope, names) };
      });
    return this.#together.ask(`${tenant} ${name}`, () => this.#looks.run({ who: tenant, bytes: 0 }, look));
  }

  /** The names of the secrets that the bearer is. */
  async #believed(open: Open, authorization: string | null): Promise<readonly string[]> {
    const given = BEARER.exec(authorization ?? "")?.[1] ?? "";
    const fitting = open.known.filter(({ value }) => isSame(given, value)).map(({ name }) => name);
    if (fitting.length > 0) return fitting;
    const missing = open.secrets.filter((name) => open.known.every((one) => one.name !== name));
    if (missing.length > 0 && given !== "") {
      const message = "this cannot be verified yet: ask again in a moment";
      throw new ApiError("WOML_WEBHOOK_SECRET_MISSING", message, { retryAfterMs: 1_000, secrets: missing });
    }
    await this.#journal.unheard({ tenant: open.tenant, name: open.name, reason: given === "" ? "bearer_missing" : "bearer_mismatch" });
    throw new ApiError("WOML_EVENT_UNAUTHORIZED", "this is not from anybody who may ask for it");
  }

  #refusalOf(error: unknown, request: FastifyRequest): ApiError {
    const { log } = this.#parts.options;
    const { message, extensions } = present(error, request.id, log);
    const { code, requestId: _, ...details } = extensions;
    if (code === "WOML_WEBHOOK_SECRET_MISSING") this.#lacks.tell(String(details["secrets"]));
    return ownRefusal(code, message, details);
  }
}

/** Whoever sends a signal again has to be able to say so. */
function idOf(header: string | null): string {
  if (header !== null) return signalIdOf(header);
  throw new ApiError("WOML_EVENT_ID_INVALID", "send `Event-ID: …`, 1 to 512 printable characters: the same again is the same signal");
}

/** What other doors say, by the codes of this one. */
function ownRefusal(code: ApiCode, message: string, details: ApiError["details"]): ApiError {
  switch (code) {
    case "WOML_TRIGGER_PAYLOAD_INVALID":
      return new ApiError("WOML_EVENT_PAYLOAD_INVALID", message, details);
    case "WOML_TRIGGER_PAYLOAD_TOO_LARGE":
      return new ApiError("WOML_EVENT_PAYLOAD_TOO_LARGE", message, details);
    case "WOML_OVERLOADED":
    case "WOML_DATABASE_INTERRUPTED":
      return new ApiError("WOML_EVENT_UNAVAILABLE", message, { retryAfterMs: 1_000 });
    default:
      return new ApiError(code, message, details);
  }
}

/** Of a signal that somebody else than the platform may emit: no trigger's secret lets anybody speak for it. */
const isForOthers = (name: string): boolean => signalFault(name) === null && !isPlatformSignal(name);
