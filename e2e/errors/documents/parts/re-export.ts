export { total as run } from "./prices.ts";
