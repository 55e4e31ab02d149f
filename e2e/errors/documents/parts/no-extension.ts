import { total } from "./prices";

export function run(): number {
  return total([]);
}
