import { entries } from "../../entries.ts";

export function run(): unknown {
  return entries();
}
