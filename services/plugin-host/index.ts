export type { Dispatch, Fence, Found, Named, Performed, PluginHost, Release } from "./door.ts";
