import { total } from "https://example.com/prices.ts";

export function run(): number {
  return total([]);
}
