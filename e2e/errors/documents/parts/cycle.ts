import { back } from "./cycle-back.ts";

export function run(): number {
  return back();
}
