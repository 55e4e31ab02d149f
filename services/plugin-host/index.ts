export type { Dispatch, Fence, Found, Named, Performed, PluginHost, Release } from "./door.ts";
export type { HostOptions } from "./options.ts";
export { openPluginHost } from "./reach.ts";
export { startPluginHost } from "./start.ts";
