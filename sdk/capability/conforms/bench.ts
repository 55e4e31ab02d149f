import { PluginFailure } from "../failure.ts";
import { faults } from "../faults.ts";
import type { Manifest, OperationManifest } from "../manifest.ts";
import type { AnyOperation, Call, HttpRequest, HttpResponse, Json, Plugin } from "../plugin.ts";
import { idempotencyOf, termsOf } from "../terms.ts";
import { base64Of } from "./base64.ts";
import { permissionFault } from "./permission.ts";

/** As it reaches a provider: names in lower case, secrets as `secret:NAME`, the key's header filled in by the platform. */
export interface ProviderRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly json: unknown;
  readonly text: string | undefined;
}
export interface ProviderAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly json?: unknown;
  readonly text?: string;
}
/** A double of what the plugin speaks with. */
export interface Provider {
  respond(request: ProviderRequest): ProviderAnswer | Promise<ProviderAnswer>;
  /** How many effects it has performed. */
  effects(): number | Promise<number>;
}
/**
 * What happens to the requests of one call. `before`: lost on their way. `after`: done, the answer is lost. `twice`: they arrive twice.
 * `broke`: done, and answered 500.
 */
export type Fate = "fine" | "before" | "after" | "twice" | "broke";
export type Outcome = { readonly result: Json } | { readonly error: unknown };

const READS: readonly string[] = ["GET", "HEAD", "OPTIONS"];
export const keyOf = (digit: number): string => String(digit).repeat(64);

/** A plugin before a provider, with a broker between them that can be told to fail. */
export class Bench {
  readonly provider: Provider;
  /** What no plugin should have asked for. */
  readonly trespasses: string[] = [];
  private readonly plugin: Plugin;
  private readonly manifest: Manifest;

  constructor(plugin: Plugin, manifest: Manifest, provider: Provider) {
    this.plugin = plugin;
    this.manifest = manifest;
    this.provider = provider;
  }

  async perform(name: string, input: Json, { fate = "fine", key = keyOf(1) }: { fate?: Fate; key?: string } = {}): Promise<Outcome> {
    const readOnly = termsOf(this.described(name), input).class === "pure";
    return this.outcome(() => this.operation(name).perform(input, this.call(name, input, { fate, key, readOnly })));
  }

  async reattach(name: string, input: Json, key = keyOf(1)): Promise<Outcome> {
    return this.outcome(() => this.operation(name).reattach?.(input, this.call(name, input, { fate: "fine", key, readOnly: true })));
  }

  /** Why a result is none of this operation's; empty when it is. */
  misfit(name: string, result: Json): string {
    return faults(this.described(name).output, result).join("; ");
  }

  private operation(name: string): AnyOperation {
    const found = this.plugin.operations[name];
    if (!found) throw new Error(`the plugin has no operation ${name}`);
    return found;
  }

  private described(name: string): OperationManifest {
    const found = this.manifest.operations[name];
    if (!found) throw new Error(`the manifest has no operation ${name}`);
    return found;
  }

  private async outcome(run: () => unknown): Promise<Outcome> {
    try {
      const result = await run();
      // As it would cross to the platform.
      return { result: result === undefined ? null : JSON.parse(JSON.stringify(result)) };
    } catch (error) {
      return { error };
    }
  }

  private call(name: string, input: Json, how: { readonly fate: Fate; readonly key: string; readonly readOnly: boolean }): Call {
    const idempotency = idempotencyOf(this.described(name), input);
    const header = how.readOnly || !idempotency ? {} : { [idempotency.header.toLowerCase()]: idempotency.value ?? how.key };
    return {
      key: how.key,
      try: 1,
      http: { request: (request) => this.request(request, header, how) },
      signal: { aborted: false, addEventListener: () => undefined },
      log: () => undefined,
    };
  }

  private async request(
    asked: HttpRequest,
    header: Readonly<Record<string, string>>,
    { fate, readOnly }: { readonly fate: Fate; readonly readOnly: boolean },
  ): Promise<HttpResponse> {
    const method = asked.method ?? "GET";
    const fault = permissionFault(this.manifest, asked) ?? (readOnly && !READS.includes(method) ? `${method} may have an effect` : null);
    if (fault !== null) {
      this.trespasses.push(fault);
      throw new PluginFailure("EGRESS_REFUSED", fault);
    }
    const lost = new PluginFailure("EGRESS_LOST", "The connection broke.", !readOnly);
    if (fate === "before") throw lost;
    const request = {
      method,
      url: asked.url,
      headers: { ...headersOf(asked), ...header },
      json: asked.json,
      text: asked.text,
    };
    if (fate === "twice") await this.provider.respond(request);
    const answer = await this.provider.respond(request);
    if (fate === "after") throw lost;
    return responseOf(asked.url, fate === "broke" ? { status: 500, text: "broke" } : answer);
  }
}

function headersOf({ headers = {} }: HttpRequest): Readonly<Record<string, string>> {
  const entries = Object.entries(headers).map(([name, value]) => [
    name.toLowerCase(),
    typeof value === "string" ? value : (value.format ?? "{}").replace("{}", () => `secret:${value.secret}`),
  ]);
  return Object.fromEntries(entries);
}

function responseOf(url: string, { status, headers = {}, json, text }: ProviderAnswer): HttpResponse {
  const body = text ?? (json === undefined ? "" : JSON.stringify(json));
  return { status, headers, url, redirected: false, bodyBase64: base64Of(body), text: () => body, json: () => JSON.parse(body) };
}
