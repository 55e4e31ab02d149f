import type { Hook } from "../lifecycle.ts";
import { flowsOf, type Law, outputsOf } from "../outline.ts";
import type { Reference } from "../reference.ts";
import { noticesOf } from "../scripts.ts";
import { violated } from "../violation.ts";

/** What a hook may say of the event it is told of: all but these paths, always. */
const OF_STEPS: readonly Hook["on"][] = ["step_start", "step_success", "step_failure", "step_complete"];
const FAILURES: readonly Hook["on"][] = ["step_failure", "run_failure"];
const STARTS: readonly Hook["on"][] = ["run_start", "step_start"];
const LIFECYCLE: ReadonlyMap<string, (on: Hook["on"]) => boolean> = new Map([
  ["event", () => true],
  ["workflow id", () => true],
  ["workflow outcome", (on: Hook["on"]) => !STARTS.includes(on)],
  ["step id", (on: Hook["on"]) => OF_STEPS.includes(on)],
  ["step outcome", (on: Hook["on"]) => OF_STEPS.includes(on) && !STARTS.includes(on)],
  ["step attempts", (on: Hook["on"]) => OF_STEPS.includes(on)],
  ["failure code", (on: Hook["on"]) => FAILURES.includes(on)],
  ["failure message", (on: Hook["on"]) => FAILURES.includes(on)],
]);

/** A message reads a property of the payload, one of an output that exists, or what its hook's event has to say. */
export const messagePaths: Law = function* (whole) {
  const outputs = outputsOf(flowsOf(whole));
  for (const { part, path, hook } of noticesOf(whole)) {
    if (!hook) continue;
    for (const [at, piece] of (part.message ?? []).entries()) {
      if (piece.kind !== "reference") continue;
      const where = `${path}/message/${at}/path`;
      if (!isReadable(piece.path, hook.on)) {
        yield violated("WOML_INVALID_REFERENCE", where, `a message of ${hook.on} cannot read ${piece.path.join(".").slice(0, 80)}`);
      } else if (piece.path[0] === "steps" && !outputs.has(piece.path[1] ?? "")) {
        yield violated("WOML_UNKNOWN_REFERENCE", where, `${piece.path[1]} has no output in this definition`);
      }
    }
  }
};

function isReadable([root, ...more]: Reference, on: Hook["on"]): boolean {
  if (root === "payload") return more.length > 0;
  if (root === "steps") return more.length > 1;
  return root === "lifecycle" && LIFECYCLE.get(more.join(" "))?.(on) === true;
}
