// Runs inside an isolate as source text: whatever it names must be declared inside it or be a global of the language.
import type { Whole } from "./whole.ts";

interface Answered {
  readonly status: number;
  readonly url: string;
  readonly redirected: boolean;
  readonly headers: Readonly<Record<string, string>>;
  readonly data: string;
}
type Request = (input: unknown) => Promise<unknown>;

/** `fetch` in terms of `http.request`: a text body, any status, and a Response that has been read whole. */
export function fetchOver(own: Whole, request: Request): (url: unknown, init?: unknown) => Promise<object> {
  const headersOf = (answered: Answered): object => {
    const headers = own.setPrototype({ ...answered.headers }, null);
    const get = (name: unknown): string | null => headers[own.lowerCase(own.asText(name))] ?? null;
    return own.freeze({
      get,
      has: (name: unknown): boolean => get(name) !== null,
      forEach: (visit: (value: string, name: string) => void): void => {
        const names = own.keysOf(headers);
        for (let i = 0; i < names.length; i++) visit(headers[names[i] as string] as string, names[i] as string);
      },
    });
  };
  const responseOf = (answered: Answered): object => {
    const { status, url, redirected, data } = answered;
    return own.freeze({
      ...{ ok: status >= 200 && status < 300, status, statusText: "", url, redirected, headers: headersOf(answered) },
      text: async (): Promise<string> => data,
      json: async (): Promise<unknown> => own.parse(data),
    });
  };
  return async (url, init = {}) => {
    const { method, headers, body, redirect } = init as { readonly [key: string]: unknown };
    if (body !== undefined && body !== null && typeof body !== "string") throw new own.TypeError("fetch takes a body that is a text.");
    const input: Record<string, unknown> = own.setPrototype({ url: own.asText(url) }, null);
    input["method"] = method === undefined ? "GET" : own.upperCase(own.asText(method));
    if (headers !== undefined) input["headers"] = headers;
    if (typeof body === "string") input["text"] = body;
    if (redirect !== undefined) input["redirect"] = redirect;
    input["responseType"] = "text";
    input["acceptedStatus"] = { minimum: 100, maximum: 599 };
    return responseOf((await request(input)) as Answered);
  };
}
