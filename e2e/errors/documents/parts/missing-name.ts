import { subtotal } from "./prices.ts";

export function run(): number {
  return subtotal([]);
}
