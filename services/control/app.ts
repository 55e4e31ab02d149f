// One route, POST /graphql, and health beside it. The route is ours and not mercurius's own: that one takes a query as a JSON tree past the
// token limit, answers path indices as texts, and loses `__proto__` keys. There is no WebSocket.
import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { traceField } from "@woml/boot";
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import { type DocumentNode, GraphQLError, type GraphQLSchema, Location } from "graphql";
import mercurius from "mercurius";
import { addApprovals } from "./approval-door.ts";
import type { Asking } from "./asking.ts";
import { parseBody, readAsked, readText } from "./body.ts";
import { refuseCostly } from "./cost.ts";
import { refuseEncoded } from "./encoding.ts";
import { ApiError, CODES } from "./errors.ts";
import { openGate } from "./gate.ts";
import { addHealth, openFault } from "./health.ts";
import { addHooks } from "./hook-door.ts";
import type { DoorSecrets } from "./hook-key.ts";
import type { ControlOptions } from "./index.ts";
import { known } from "./known.ts";
import { openLane } from "./lane.ts";
import { ANSWER_CHARS, lengthOf } from "./length.ts";
import { GATE, LANE, LARGE_BODY, LIMIT_RULES, querysFault, TOKENS, UPLOADS } from "./limits.ts";
import { refuseHttp } from "./malformed.ts";
import { present, presentInvalid, type Shown } from "./present.ts";
import { publicUrlOf } from "./public-url.ts";
import { openReads, tooLarge } from "./reads.ts";
import { type Context, openSchema } from "./schema.ts";
import { addSignals } from "./signal-door.ts";
import { askerOf, claimed, identify, type Who } from "./tenant.ts";
import { openTraced, type Traced } from "./traced.ts";
import { type Intake, openIntake, refuseLarge } from "./upload.ts";
import { refuseVariables } from "./variables.ts";

const REQUEST_TIMEOUT_MS = 30_000;
/** The longest token of an approval has fewer. */
const TOKEN_CHARS = 1_100;
/** Parsed and validated queries kept, each of QUERY_BYTES at most. */
const CACHED_QUERIES = 128;

/** The routes, not listening yet; `fault` is what `/health/ready` says. */
export interface App {
  readonly app: FastifyInstance;
  readonly fault: () => Promise<string | null>;
}

export async function openApp(options: ControlOptions, secrets: DoorSecrets): Promise<App> {
  const app = fastify({
    requestTimeout: REQUEST_TIMEOUT_MS,
    forceCloseConnections: "idle",
    genReqId: () => randomUUID(),
    requestIdHeader: false,
    routerOptions: { maxParamLength: TOKEN_CHARS },
    // Its own answer while it stops has no code of ours.
    return503OnClosing: false,
    clientErrorHandler: refuseHttp,
    // A path that cannot be decoded.
    frameworkErrors: (_, request, reply) => void refuse(reply, [present(nowhere(), request.id, options.log)]),
  });
  let isStopping = false;
  app.addHook("preClose", async () => {
    isStopping = true;
  });
  app.addHook("onSend", async (request, reply) => void reply.header("x-request-id", request.id));
  app.setErrorHandler((error, request, reply) => refuse(reply, [present(known(error, request), request.id, options.log)]));
  app.setNotFoundHandler(() => {
    throw nowhere();
  });
  const fault = openFault({ ...options, isStopping: () => isStopping });
  addHealth(app, fault);
  await addApprovals(app, options, () => isStopping);
  await addHooks(app, { options, secrets, isStopping: () => isStopping });
  await addSignals(app, { options, secrets, isStopping: () => isStopping });
  await addGraphql(app, options, () => isStopping);
  return { app, fault };
}

async function addGraphql(app: FastifyInstance, options: ControlOptions, isStopping: () => boolean): Promise<void> {
  await app.register(mercurius, {
    schema: openSchema(),
    routes: false,
    cache: CACHED_QUERIES,
    validationRules: [...LIMIT_RULES],
    graphql: { parseOptions: { maxTokens: TOKENS } },
    errorFormatter: ({ data, errors }, context) => ({
      statusCode: 200,
      response: { data: data ?? null, errors: (errors ?? []).map((error) => shown(error, context as unknown as Context)) },
    }),
  });
  app.graphql.addHook("preValidation", (_, document) => refuseTree(document));
  app.graphql.addHook("preExecution", (schema: GraphQLSchema, document, context, variables) => {
    (context as unknown as Context).begin(document);
    refuseCostly(schema, document, variables);
  });
  // Anything but application/json is refused: a page of another origin cannot send that without asking first.
  app.removeAllContentTypeParsers();
  const intake = openIntake(openGate(UPLOADS));
  app.addContentTypeParser("application/json", async (request: FastifyRequest, body: IncomingMessage) =>
    readText(await intake.read(request, body)),
  );
  addRoute(app, options, { isStopping, intake });
}

interface Entrance {
  readonly isStopping: () => boolean;
  readonly intake: Intake;
}

/** Who asks, once that is known, and what is measured of the request. */
interface Caller {
  readonly who: Who | null;
  readonly traced: Traced;
}

function addRoute(app: FastifyInstance, options: ControlOptions, { isStopping, intake }: Entrance): void {
  const callers = new WeakMap<FastifyRequest, Caller>();
  const [door, work, lane] = [openGate(GATE), openGate(GATE), openLane(openGate(LANE))];
  const callerOf = (request: FastifyRequest): { who: Who; traced: Traced } => {
    const { who = null, traced } = callers.get(request) ?? {};
    if (who === null || traced === undefined) throw new Error("a request without a caller");
    return { who, traced };
  };
  app.route({
    method: "POST",
    url: "/graphql",
    // Before the body is read: strangers send us no megabytes.
    onRequest: async (request, reply) => {
      const traced = openTraced(options.telemetry, { requestId: request.id, traceparent: request.headers["traceparent"] });
      callers.set(request, { who: null, traced });
      if (isStopping()) throw stopping();
      const { authorization } = request.headers;
      const who = await door.run({ who: claimed(authorization), bytes: 0 }, () => identify(options.store, authorization));
      callers.set(request, { who, traced });
      traced.by(who.scope === "tenant" ? who.tenant : null);
      refuseEncoded(request.headers["content-encoding"] ?? null);
      intake.admit(request, reply, askerOf(who));
    },
    onError: async (request, _, error) => callers.get(request)?.traced.end(codeOf(known(error, request))),
    // It waits for its turn as the text it came as, whose bytes are counted, unless it has a place for them already.
    handler: (request, reply) => {
      const text = typeof request.body === "string" ? request.body : "";
      const caller = callerOf(request);
      const asker = { who: askerOf(caller.who), bytes: intake.isLarge(request) ? 0 : text.length };
      const turn = () => work.run(asker, () => execute(app, { options, reply, text, ...caller }));
      return intake.keep(request, () => (text.length > LARGE_BODY ? lane.run(asker, turn) : turn()));
    },
  });
  app.route({
    method: ["GET", "PUT", "DELETE", "PATCH", "OPTIONS"],
    url: "/graphql",
    handler: (_, reply) => {
      void reply.header("allow", "POST");
      throw new ApiError("WOML_METHOD_NOT_ALLOWED", "queries are sent with POST");
    },
  });
}

interface Turn {
  readonly options: ControlOptions;
  readonly reply: FastifyReply;
  readonly text: string;
  readonly who: Who;
  readonly traced: Traced;
}

async function execute(app: FastifyInstance, { options, reply, text, who, traced }: Turn): Promise<FastifyReply> {
  const requestId = reply.request.id;
  const asked = readAsked(parseBody(text));
  const { query, variables, operationName } = asked;
  refuseLarge(text, asked);
  refuseVariables(app.graphql.schema, query, variables);
  const reads = openReads({ who, store: options.store });
  const asking: Asking = {
    ...{ ...options, who, requestId, reads, publicUrl: publicUrlOf(options, app.server) },
    get trace() {
      return traced.trace;
    },
  };
  try {
    const begin = (document: DocumentNode): void => traced.begin(document, operationName ?? null);
    const result = await reply.graphql(query, { asking, begin }, variables, operationName);
    if (lengthOf(result, ANSWER_CHARS) > ANSWER_CHARS) throw tooLarge(ANSWER_CHARS);
    traced.end(codeIn(result));
    return answer(reply, result);
  } catch (error) {
    const causes = (error as { errors?: unknown }).errors;
    if (!Array.isArray(causes)) throw error;
    const log = options.log.child(traceField(traced.trace));
    const errors = causes.slice(0, SHOWN_MAX).map((one) => presentInvalid(one, requestId, log));
    traced.end(errors[0]?.extensions.code ?? "WOML_INTERNAL");
    return refuse(reply, errors);
  }
}

/** The first code of an answer whose errors are shown as they are. */
function codeIn(result: { readonly errors?: readonly unknown[] | null }): string | null {
  const [first] = (result.errors ?? []) as readonly Shown[];
  return first === undefined ? null : first.extensions.code;
}

/** What is thrown past `execute` is shown by the error handler, with this code. */
function codeOf(error: unknown): string {
  return error instanceof ApiError ? error.code : error instanceof GraphQLError ? String(error.extensions["code"]) : "WOML_INTERNAL";
}

/** Errors of one query that are worth reading. */
const SHOWN_MAX = 20;

function answer(reply: FastifyReply, result: unknown): FastifyReply {
  return reply.header("content-type", "application/json; charset=utf-8").send(JSON.stringify(result));
}

function refuse(reply: FastifyReply, errors: readonly Shown[]): FastifyReply {
  const status = errors[0] ? CODES[errors[0].extensions.code] : 500;
  if (status === 401) void reply.header("www-authenticate", "Bearer");
  if (status === 503) void reply.header("retry-after", "1");
  return answer(reply.code(status), { data: null, errors });
}

function shown(error: GraphQLError, { asking }: Context): GraphQLError {
  return present(error, asking.requestId, asking.log.child(traceField(asking.trace))) as unknown as GraphQLError;
}

/** Mercurius takes a query that does not parse as the JSON of a parsed one; a tree that graphql did not parse has passed no token limit. */
function refuseTree(document: DocumentNode | null): void {
  if (!(document?.loc instanceof Location)) throw querysFault("the query is not GraphQL");
}

function stopping(): ApiError {
  return new ApiError("WOML_OVERLOADED", "the platform is stopping; nothing was done: ask again when it runs", { retryAfterMs: 1_000 });
}

function nowhere(): ApiError {
  return new ApiError("WOML_PATH_UNKNOWN", "nothing is here: queries go to /graphql");
}
