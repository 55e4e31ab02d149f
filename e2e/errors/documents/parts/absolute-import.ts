import { total } from "/srv/prices.ts";

export function run(): number {
  return total([]);
}
