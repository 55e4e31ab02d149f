import type { EngineOptions } from "@woml/engine";

export interface EngineSettings {
  /** Through the proxy. */
  readonly storeUrl: string;
  readonly sandbox: string;
  readonly plugins: string;
  readonly logLevel: "fatal" | "error" | "debug";
  readonly options: EngineOptions;
}
export type ToEngine = { readonly say: "open" | "ring" };
/** `of` names the case whose script or operation it is. */
export type FromEngine =
  | { readonly told: "here" }
  | { readonly told: "ready" | "ended"; readonly engine: string }
  | { readonly told: "invoked" | "called" | "dispatched" | "answered"; readonly of: string };
