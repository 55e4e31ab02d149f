export { Type } from "typebox";
export { Effect, EffectClass } from "./effect.ts";
export { failure, PluginFailure } from "./failure.ts";
export { CONTRACT, Manifest, OperationManifest } from "./manifest.ts";
export type { Call, Http, HttpRequest, HttpResponse, Operation, Plugin, Reattached, SecretRef } from "./plugin.ts";
