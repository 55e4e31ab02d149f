// The door for whoever holds the token of an approval: a page that shows it, and two ways to send a decision. To look decides nothing, whoever
// follows a link; only a POST does. No token stands in an answer, a line of the log or a span.
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { approvalPage, decidedPage, PAGE_HEADERS, refusedPage } from "./approval-page.ts";
import { expired, findByToken, type Held, invalid } from "./approval-token.ts";
import { decideByToken } from "./decision.ts";
import { refuseEncoded } from "./encoding.ts";
import { type ApiCode, ApiError, CODES } from "./errors.ts";
import { openGate } from "./gate.ts";
import type { ControlOptions } from "./index.ts";
import { known } from "./known.ts";
import { APPROVALS, DECISION_BYTES } from "./limits.ts";
import { present } from "./present.ts";

type Decision = "approved" | "rejected";
interface Way {
  readonly name: "approval view" | "approval decision";
  readonly isPage: boolean;
  readonly work: (held: Held, request: FastifyRequest) => Promise<string | object>;
}
const API = "/api/v1/approvals/:token/decision";
const PAGE = "/approvals/:token";

export async function addApprovals(app: FastifyInstance, options: ControlOptions, isStopping: () => boolean): Promise<void> {
  await app.register((scope, _, ready) => {
    scope.removeAllContentTypeParsers();
    const types = ["application/json", "application/x-www-form-urlencoded"];
    scope.addContentTypeParser(types, { parseAs: "string", bodyLimit: DECISION_BYTES }, (_, body, done) => done(null, body));
    const serve = openServing(options, isStopping);
    const decide = async (held: Held, decision: Decision): Promise<Decision> => {
      const { tenant, run, site: approval } = held.key;
      await decideByToken(options, tenant, { run, approval, decision });
      return decision;
    };
    scope.get(PAGE, serve({ name: "approval view", isPage: true, work: async (held) => approvalPage(held) }));
    const byForm = async (held: Held, { body }: FastifyRequest) => decidedPage(await decide(held, accept(fieldIn(body))));
    scope.post(PAGE, serve({ name: "approval decision", isPage: true, work: byForm }));
    const byJson = async (held: Held, { body }: FastifyRequest) => ({ decision: await decide(held, accept(memberIn(body))) });
    scope.post(API, serve({ name: "approval decision", isPage: false, work: byJson }));
    scope.route({
      method: ["GET", "PUT", "DELETE", "PATCH", "OPTIONS"],
      url: API,
      handler: serve({ name: "approval decision", isPage: false, work: () => Promise.reject(onlyPost()) }),
    });
    scope.setErrorHandler((error, request, reply) => refuse({ options, request, reply, isPage: false }, error));
    ready();
  });
}

type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;

/** All who have no key share one place in line, so that those who have are served beside them. */
function openServing(options: ControlOptions, isStopping: () => boolean): (way: Way) => Handler {
  const gate = openGate(APPROVALS);
  return ({ name, isPage, work }) => {
    return async (request, reply) => {
      const clock = performance.now();
      const told = (outcome: string): void => {
        options.telemetry.count("woml_requests_total", 1, { operation: name, outcome });
        options.telemetry.observe("woml_request_ms", performance.now() - clock, { operation: name });
      };
      try {
        if (isStopping()) throw new ApiError("WOML_OVERLOADED", "the platform is stopping; nothing was done", { retryAfterMs: 1_000 });
        const answer = await gate.run({ who: "token", bytes: 0 }, () => admitted(options, request, { name, isPage, work }));
        told("ok");
        return send(reply, isPage, answer);
      } catch (error) {
        told(codeOf(error));
        return refuse({ options, request, reply, isPage }, error);
      }
    };
  };
}

async function admitted({ store }: ControlOptions, request: FastifyRequest, { name, work }: Way): Promise<string | object> {
  const { token = "" } = request.params as { readonly token?: string };
  const held = await findByToken(store, token);
  if (name === "approval decision" && held.isTokenOver) throw expired();
  refuseEncoded(request.headers["content-encoding"] ?? null);
  return work(held, request);
}

function send(reply: FastifyReply, isPage: boolean, answer: string | object): FastifyReply {
  void reply.header("cache-control", "no-store");
  return isPage ? reply.headers(PAGE_HEADERS).send(answer) : reply.type("application/json; charset=utf-8").send(answer);
}

/** What a status of its own says to whoever follows a link. */
const STATUS: Partial<Record<ApiCode, number>> = { WOML_RUN_ALREADY_TERMINAL: 410, WOML_RUN_HELD: 503 };

interface Refusing {
  readonly options: ControlOptions;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly isPage: boolean;
}

function refuse({ options, request, reply, isPage }: Refusing, error: unknown): FastifyReply {
  const { message, extensions } = present(hidden(known(error, request)), request.id, options.log);
  const status = STATUS[extensions.code] ?? CODES[extensions.code];
  if (status === 503) void reply.header("retry-after", "1");
  if (status === 405) void reply.header("allow", "POST");
  const { code } = extensions;
  return send(reply.code(status), isPage, isPage ? refusedPage(message, code) : { error: { code, message } });
}

/** What a token names and is not there is like a token that names nothing. */
function hidden(error: unknown): unknown {
  return error instanceof ApiError && /_NOT_FOUND$/.test(error.code) ? invalid() : error;
}

const codeOf = (error: unknown): string => (error instanceof ApiError ? error.code : "WOML_INTERNAL");

function accept(decision: unknown): Decision {
  if (decision === "approved" || decision === "rejected") return decision;
  throw new ApiError("WOML_APPROVAL_REQUEST_INVALID", 'say `{"decision": "approved"}` or `{"decision": "rejected"}`, and nothing else');
}

function memberIn(body: unknown): unknown {
  try {
    const said: unknown = JSON.parse(String(body));
    const isOne = typeof said === "object" && said !== null && Object.keys(said).length === 1 && "decision" in said;
    return isOne ? said.decision : null;
  } catch {
    return null;
  }
}

/** Of two that are said neither is meant. */
function fieldIn(body: unknown): unknown {
  const [decision, ...others] = new URLSearchParams(typeof body === "string" ? body : "").getAll("decision");
  return others.length === 0 ? decision : null;
}
const onlyPost = (): ApiError => new ApiError("WOML_METHOD_NOT_ALLOWED", "a decision is sent with POST");
