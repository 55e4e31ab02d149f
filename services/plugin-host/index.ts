export type { At, Dispatch, Fence, Found, Gone, Named, OutOfReach, Performed, PluginHost, Release } from "./door.ts";
export { openPluginHosts, type PluginHosts, type PluginHostsOptions } from "./hosts.ts";
export type { HostOptions } from "./options.ts";
export type { ReachOptions } from "./question.ts";
export { openPluginHost } from "./reach.ts";
export { startPluginHost } from "./start.ts";
