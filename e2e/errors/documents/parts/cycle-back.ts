import { run } from "./cycle.ts";

export function back(): number {
  return run();
}
