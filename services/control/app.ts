// One route, POST /graphql, and health beside it. The route is ours and not mercurius's own: that one takes a query as a JSON tree past the
// token limit, answers path indices as texts, and loses `__proto__` keys. There is no WebSocket.
import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import { type DocumentNode, type GraphQLError, type GraphQLSchema, Location } from "graphql";
import mercurius from "mercurius";
import type { Asking } from "./asking.ts";
import { parseBody, readAsked, readText } from "./body.ts";
import { refuseCostly } from "./cost.ts";
import { ApiError, CODES } from "./errors.ts";
import { openGate } from "./gate.ts";
import { addHealth } from "./health.ts";
import type { ControlOptions } from "./index.ts";
import { openLane } from "./lane.ts";
import { ANSWER_CHARS, lengthOf } from "./length.ts";
import { GATE, LANE, LARGE_BODY, LIMIT_RULES, querysFault, TOKENS, UPLOADS } from "./limits.ts";
import { refuseHttp } from "./malformed.ts";
import { present, presentInvalid, type Shown } from "./present.ts";
import { openReads, tooLarge } from "./reads.ts";
import { type Context, openSchema } from "./schema.ts";
import { askerOf, claimed, identify, type Who } from "./tenant.ts";
import { type Intake, openIntake, refuseLarge } from "./upload.ts";
import { refuseVariables } from "./variables.ts";

const REQUEST_TIMEOUT_MS = 30_000;
/** Parsed and validated queries kept, each of QUERY_BYTES at most. */
const CACHED_QUERIES = 128;

export async function openApp(options: ControlOptions): Promise<FastifyInstance> {
  const app = fastify({
    requestTimeout: REQUEST_TIMEOUT_MS,
    forceCloseConnections: "idle",
    genReqId: () => randomUUID(),
    requestIdHeader: false,
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
  addHealth(app, options.store, () => isStopping);
  await addGraphql(app, options, () => isStopping);
  return app;
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
  app.graphql.addHook("preExecution", (schema: GraphQLSchema, document, _, variables) => refuseCostly(schema, document, variables));
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

function addRoute(app: FastifyInstance, options: ControlOptions, { isStopping, intake }: Entrance): void {
  const callers = new WeakMap<FastifyRequest, Who>();
  const [door, work, lane] = [openGate(GATE), openGate(GATE), openLane(openGate(LANE))];
  const callerOf = (request: FastifyRequest): Who => {
    const who = callers.get(request);
    if (!who) throw new Error("a request without a caller");
    return who;
  };
  const execute = async (request: FastifyRequest, reply: FastifyReply, text: string): Promise<FastifyReply> => {
    const asked = readAsked(parseBody(text));
    const { query, variables, operationName } = asked;
    refuseLarge(text, asked);
    refuseVariables(app.graphql.schema, query, variables);
    const who = callerOf(request);
    const asking: Asking = { ...options, who, requestId: request.id, reads: openReads({ who, store: options.store }) };
    try {
      const result = await reply.graphql(query, { asking }, variables, operationName);
      if (lengthOf(result, ANSWER_CHARS) > ANSWER_CHARS) throw tooLarge(ANSWER_CHARS);
      return answer(reply, result);
    } catch (error) {
      const causes = (error as { errors?: unknown }).errors;
      if (!Array.isArray(causes)) throw error;
      const errors = causes.slice(0, SHOWN_MAX).map((one) => presentInvalid(one, request.id, options.log));
      return refuse(reply, errors);
    }
  };
  app.route({
    method: "POST",
    url: "/graphql",
    // Before the body is read: strangers send us no megabytes.
    onRequest: async (request, reply) => {
      if (isStopping()) throw stopping();
      const { authorization } = request.headers;
      const who = await door.run({ who: claimed(authorization), bytes: 0 }, () => identify(options.store, authorization));
      callers.set(request, who);
      intake.admit(request, reply, askerOf(who));
    },
    // It waits for its turn as the text it came as, whose bytes are counted, unless it has a place for them already.
    handler: (request, reply) => {
      const text = typeof request.body === "string" ? request.body : "";
      const asker = { who: askerOf(callerOf(request)), bytes: intake.isLarge(request) ? 0 : text.length };
      const turn = () => work.run(asker, () => execute(request, reply, text));
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
  return present(error, asking.requestId, asking.log) as unknown as GraphQLError;
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

/** Fastify's own refusals in our codes. Whoever goes away while we read is no fault of ours, and hears no answer. */
function known(error: unknown, { raw }: FastifyRequest): unknown {
  if (raw.destroyed && !raw.complete) return new ApiError("WOML_BODY_INVALID", "the body ended before all of it had come");
  const code = error instanceof Error && "code" in error ? error.code : "";
  if (code === "FST_ERR_CTP_INVALID_MEDIA_TYPE")
    return new ApiError("WOML_CONTENT_TYPE_UNSUPPORTED", "send `content-type: application/json`");
  if (typeof code === "string" && code.startsWith("FST_ERR_CTP_")) return new ApiError("WOML_BODY_INVALID", "the body cannot be read");
  return error;
}
