// Bodies as they come in. Nearly all are small; the one mutation that hands in a plugin may be large. Nothing in a header says which it is:
// a body that grows past what all others may have goes on only once it has one of a few places, of which a tenant has one at most.
import type { Readable } from "node:stream";
import type { FastifyReply, FastifyRequest } from "fastify";
import { type DocumentNode, Kind, parse } from "graphql";
import type { Asked } from "./body.ts";
import { ApiError } from "./errors.ts";
import type { Gate } from "./gate.ts";
import { BODY_BYTES, TOKENS, UPLOAD_BYTES } from "./limits.ts";

/** Who may have a place for one large body, kept from its first byte too many until its work is done or its caller has gone. */
export interface Intake {
  /** The body's bytes; rejects with a code of ours. */
  read(request: FastifyRequest, body: Readable): Promise<Buffer>;
  /** Whose request it is, and on which reply its end is seen. Requests that were never let in get no place. */
  admit(request: FastifyRequest, reply: FastifyReply, who: string): void;
  isLarge(request: FastifyRequest): boolean;
  /** Keeps the place that the request has, if it has one, until the work has ended. */
  keep<T>(request: FastifyRequest, work: () => Promise<T>): Promise<T>;
}

export function openIntake(gate: Gate): Intake {
  const admitted = new WeakMap<FastifyRequest, { readonly who: string; readonly reply: FastifyReply }>();
  const places = new WeakMap<FastifyRequest, { readonly leave: () => void; isKept: boolean }>();
  const enlarge = (request: FastifyRequest) => async (): Promise<void> => {
    const found = admitted.get(request);
    if (!found) throw tooLarge(BODY_BYTES);
    const place = { leave: await takePlace(gate, found.who), isKept: false };
    places.set(request, place);
    const gone = (): void => (place.isKept ? undefined : place.leave());
    if (found.reply.raw.closed) gone();
    else found.reply.raw.once("close", gone);
  };
  return {
    admit: (request, reply, who) => void admitted.set(request, { who, reply }),
    read: (request, body) => readBody(body, Number(request.headers["content-length"] ?? 0), enlarge(request)),
    isLarge: (request) => places.has(request),
    keep: async (request, work) => {
      const place = places.get(request);
      if (place) place.isKept = true;
      try {
        return await work();
      } finally {
        place?.leave();
      }
    },
  };
}

/** Answers how to leave, once there is a place; rejects with WOML_OVERLOADED when none comes free. */
function takePlace(gate: Gate, who: string): Promise<() => void> {
  return new Promise((resolve, reject) => {
    const { promise: left, resolve: leave } = Promise.withResolvers<void>();
    const stay = (): Promise<void> => {
      resolve(leave);
      return left;
    };
    gate.run({ who, bytes: BODY_BYTES }, stay).catch(reject);
  });
}

/** The whole body. `enlarge` is called once, when it grows past BODY_BYTES, and nothing is read until it has answered. */
export function readBody(body: Readable, declared: number, enlarge: () => Promise<void>): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let [bytes, limit, isOver] = [0, BODY_BYTES, false];
    /** What still comes is thrown away; the connection ends with the answer. */
    const stop = (error: unknown): void => {
      isOver = true;
      chunks.length = 0;
      body.resume();
      reject(error);
    };
    const grow = (): void => {
      body.pause();
      limit = UPLOAD_BYTES;
      enlarge().then(() => body.resume(), stop);
    };
    body.on("data", (chunk: Buffer) => {
      if (isOver) return;
      bytes += chunk.length;
      if (bytes > UPLOAD_BYTES) return stop(tooLarge(UPLOAD_BYTES));
      chunks.push(chunk);
      if (bytes > limit) grow();
    });
    body.on("end", () => resolve(Buffer.concat(chunks)));
    body.on("error", stop);
    body.on("close", () => stop(new ApiError("WOML_BODY_INVALID", "the body ended before all of it had come")));
    if (declared > UPLOAD_BYTES) stop(tooLarge(UPLOAD_BYTES));
    else if (declared > BODY_BYTES) grow();
  });
}

/** A body past BODY_BYTES has to be one `submitPlugin`, and without the plugin's file no larger than any other. */
export function refuseLarge(text: string, { query, variables }: Asked): void {
  if (text.length <= BODY_BYTES && Buffer.byteLength(text) <= BODY_BYTES) return;
  const artefact = isSubmission(query) ? Object.values(variables).reduce<number>((sum, value) => sum + artefactIn(value), 0) : 0;
  if (Buffer.byteLength(text) - artefact > BODY_BYTES) throw tooLarge(BODY_BYTES);
}

function artefactIn(variable: unknown): number {
  if (typeof variable !== "object" || variable === null || !("artefact" in variable)) return 0;
  return typeof variable.artefact === "string" ? variable.artefact.length : 0;
}

function isSubmission(query: string): boolean {
  const [operation, ...more] = parsed(query)?.definitions ?? [];
  if (operation?.kind !== Kind.OPERATION_DEFINITION || more.length > 0) return false;
  const [field, ...others] = operation.selectionSet.selections;
  return field?.kind === Kind.FIELD && field.name.value === "submitPlugin" && others.length === 0;
}

function parsed(query: string): DocumentNode | null {
  try {
    return parse(query, { maxTokens: TOKENS, noLocation: true });
  } catch {
    return null;
  }
}

function tooLarge(limit: number): ApiError {
  const message =
    limit === BODY_BYTES
      ? `a request's body has at most ${BODY_BYTES} bytes, beside the file of a submitPlugin in a variable`
      : `a request's body has at most ${UPLOAD_BYTES} bytes, whatever it asks`;
  return new ApiError("WOML_BODY_TOO_LARGE", message, { limit });
}
