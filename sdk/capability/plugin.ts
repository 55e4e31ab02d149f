import type { Static, TSchema } from "typebox";
import type { Manifest, OperationManifest } from "./manifest.ts";

type Promised<T> = T | Promise<T>;
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** A secret of the tenant, named and not seen: the broker puts the value where `{}` stands in `format` (absent: the value alone). */
export interface SecretRef {
  readonly secret: string;
  readonly format?: string;
}
/** At most one of the bodies. A handle that came with the input may stand in any text. */
export interface HttpRequest {
  readonly method?: string;
  readonly url: string;
  readonly headers?: Readonly<Record<string, string | SecretRef>>;
  readonly json?: unknown;
  readonly text?: string;
  readonly bytesBase64?: string;
  readonly timeoutMs?: number;
  /** `follow` (default, GET and HEAD only), `error`, or `manual`: the redirect itself is the answer. */
  readonly redirect?: "follow" | "error" | "manual";
  readonly maxRedirects?: number;
  readonly maxResponseBytes?: number;
}
/** Whatever the status. */
export interface HttpResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly bodyBase64: string;
  readonly url: string;
  readonly redirected: boolean;
  text(): string;
  json(): Json;
}
/** The only way out of a plugin's process. */
export interface Http {
  /** Rejects with PluginFailure; `ambiguous` when a byte of the request may have left and no whole answer came. */
  request(request: HttpRequest): Promise<HttpResponse>;
}

/** The part of the platform's AbortSignal that a plugin needs; the real one is passed. */
export interface Signal {
  readonly aborted: boolean;
  addEventListener(type: "abort", listener: () => void): void;
}
/** What an operation is performed with. */
export interface Call {
  /** 64 hex digits, equal in every try and attempt of the same operation. */
  readonly key: string;
  /** From 1: how often this operation has been dispatched. */
  readonly try: number;
  readonly http: Http;
  /** Aborted when the answer is not wanted any more or its time is over. */
  readonly signal: Signal;
  readonly log: (text: string) => void;
}
/** What a provider knows of an operation, by its key. `unknown`: it cannot tell. */
export type Reattached<Output> =
  | { readonly status: "succeeded"; readonly result: Output }
  | { readonly status: "failed"; readonly code: string; readonly message: string }
  | { readonly status: "pending"; readonly askAgainMs?: number }
  | { readonly status: "not_found" }
  | { readonly status: "unknown" };

type Described = Omit<OperationManifest, "input" | "output" | "timeoutMs" | "maxInputBytes" | "maxOutputBytes"> &
  Partial<Pick<OperationManifest, "timeoutMs" | "maxInputBytes" | "maxOutputBytes">>;

/** `input` and `output` are schemas; their types flow into `perform` and `reattach`. `reattach` may only read. */
export interface Operation<Input extends TSchema = TSchema, Output extends TSchema = TSchema> extends Described {
  readonly input: Input;
  readonly output: Output;
  perform(input: Static<Input>, call: Call): Promised<Static<Output>>;
  reattach?(input: Static<Input>, call: Call): Promised<Reattached<Static<Output>>>;
}
/** An operation whose schemas' types are not known any more. */
export interface AnyOperation extends Described {
  readonly input: TSchema;
  readonly output: TSchema;
  perform(input: unknown, call: Call): unknown;
  reattach?(input: unknown, call: Call): unknown;
}
export interface Plugin extends Pick<Manifest, "id" | "version" | "publisher" | "permissions" | "title"> {
  readonly operations: Readonly<Record<string, AnyOperation>>;
}
