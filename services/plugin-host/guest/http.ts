import { type Http, type HttpResponse, PluginFailure } from "@woml/capability";
import type { Told, ToldResponse } from "./frames.ts";
import { GUEST } from "./parse.ts";

type Answered = (answer: string) => void;

/** The requests of one call, numbered from 1. */
export class Requests implements Http {
  readonly #send: (request: number, asked: string) => void;
  readonly #open = new Map<number, Answered>();
  #last = 0;

  constructor(send: (request: number, asked: string) => void) {
    this.#send = send;
  }

  async request(request: unknown): Promise<HttpResponse> {
    const asked = JSON.stringify(request) ?? "null";
    if (Buffer.byteLength(asked) > GUEST.requestBytes)
      throw new PluginFailure("WOML_EGRESS_REQUEST_TOO_LARGE", "The request is too large.");
    const { promise, resolve } = Promise.withResolvers<string>();
    this.#last += 1;
    this.#open.set(this.#last, resolve);
    this.#send(this.#last, asked);
    const told = JSON.parse(await promise) as Told;
    if (!told.ok) throw new PluginFailure(told.code, told.message, told.ambiguous);
    return responseOf(told.response);
  }
  answer(request: number, answer: string): void {
    this.#open.get(request)?.(answer);
    this.#open.delete(request);
  }
}

function responseOf(response: ToldResponse): HttpResponse {
  const text = (): string => Buffer.from(response.bodyBase64, "base64").toString("utf8");
  return { ...response, text, json: () => JSON.parse(text()) };
}
