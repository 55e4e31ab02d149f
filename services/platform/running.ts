// A light door: finds a running platform without loading one.
export { runningAt } from "./connection.ts";
export { type Keys, readKeys } from "./key-file.ts";
export { Refusal } from "./refusal.ts";
