export type { Dispatch, Fence, Found, Performed, PluginHost, Release } from "./door.ts";
