import type { Manifest, Part } from "@woml/capability";
import type { BrokerAnswer } from "./answer.ts";

/** One request of a plugin, with all that it is judged by. The request itself is what the plugin sent: it is parsed here. */
export interface BrokerAsk {
  readonly tenant: string;
  readonly manifest: Pick<Manifest, "id" | "permissions">;
  readonly effect: "pure" | "keyed" | "reattachable" | "unsafe";
  /** It is asked within a `reattach`: it may only read, and no answer to it is ambiguous. */
  readonly reattach: boolean;
  /** `idempotencyOf(…)`; for `keyed` it must be there. The broker sets the header itself, whatever the plugin did. */
  readonly idempotency: { readonly header: string; readonly value: string } | null;
  readonly request: unknown;
  /** Texts minted for this call, each for one handle of its input. Letters, digits and `_` only, at least 16 of them. */
  readonly placeholders: ReadonlyMap<string, Part>;
  /** Values by name: those of the placeholders, and those that the manifest declares. */
  readonly secrets: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** What is left of the call's time. */
  readonly timeoutMs: number;
}

export interface Broker {
  /** Never rejects. */
  request(asked: BrokerAsk): Promise<BrokerAnswer>;
  /** Ends what is under way, each as its class says. */
  close(): Promise<void>;
}

export interface BrokerOptions {
  /** `host:port` exactly as a URL names it; an operator allows these although their address is private. */
  readonly privateHosts?: readonly string[];
  /** The platform's own names, `host` or `host:port`: refused, whatever they resolve to. */
  readonly ownHosts?: readonly string[];
  /** Further certificate authorities, PEM. */
  readonly authorities?: readonly string[];
}

export function openBroker(_options: BrokerOptions = {}): Broker {
  return {
    request: async () => ({ status: "failed", code: "WOML_EGRESS_BUSY", message: "The broker is not open.", retryable: true }),
    close: async () => undefined,
  };
}
