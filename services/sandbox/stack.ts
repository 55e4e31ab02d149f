import { GUEST_FILE } from "./guest/text.ts";

const BOUNDARY = "<isolated-vm boundary>";

/** A stack with the author's frames only: the guest's, the wrapper's (`at own`) and everything beyond the isolate's edge are cut away. */
export function authoredStack(stack: string, own: string): string {
  const lines = stack.split("\n");
  const edge = lines.findIndex((line) => line.includes(BOUNDARY));
  const inside = edge < 0 ? lines : lines.slice(0, edge);
  const ours = (line: string): boolean => /^\s+at /.test(line) && (line.includes(GUEST_FILE) || line.trim() === `at ${own}`);
  return inside.filter((line) => !ours(line)).join("\n");
}
