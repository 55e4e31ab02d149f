import { didYouMean } from "./closest.ts";
import { HOOKS, type HookEvent, isOfStep } from "./hook.ts";
import { MOST_CHARACTERS, MOST_NAMES } from "./reference.ts";
import { quoted } from "./source.ts";
import type { Placeholder } from "./template.ts";

/** What a message may say of what its hook is told of. */
const HAPPENED: ReadonlyMap<string, (event: HookEvent) => boolean> = new Map([
  ["lifecycle.event", () => true],
  ["lifecycle.workflow.id", () => true],
  ["lifecycle.workflow.outcome", hasOutcome],
  ["lifecycle.step.id", isOfStep],
  ["lifecycle.step.outcome", (event) => isOfStep(event) && hasOutcome(event)],
  ["lifecycle.step.attempts", isOfStep],
  ["lifecycle.failure.code", hasFailure],
  ["lifecycle.failure.message", hasFailure],
]);

function hasOutcome(event: HookEvent): boolean {
  return event !== "run_start" && event !== "step_start";
}
function hasFailure(event: HookEvent): boolean {
  return event === "step_failure" || event === "run_failure";
}

/** What one placeholder of a message stands for in a hook; `id` where that is a part of a step's output. */
export type Meaning =
  | { readonly kind: "value" }
  | { readonly kind: "output"; readonly id: string }
  | { readonly kind: "invalid"; readonly why: string; readonly hint: string };

const NAMES = /^[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*$/;
const FORMS =
  "Write {{context.payload.<property>}}, {{context.steps.<id>.<property>}} or {{lifecycle.…}}: names with dots, and nothing else.";

export function meaningOf({ name }: Placeholder, event: HookEvent): Meaning {
  if (!NAMES.test(name)) return invalid(`${quoted(name)} is no reference.`, FORMS);
  const [head, of, id = "", ...rest] = name.split(".");
  if (head === "lifecycle") return happened(name, event);
  if (head !== "context") return invalid(`${quoted(name)} is nothing that a message can name.`, FORMS);
  const names = name.split(".");
  if (names.length > MOST_NAMES || names.some((one) => one.length > MOST_CHARACTERS))
    return invalid(`A reference has at most ${MOST_NAMES} names of ${MOST_CHARACTERS} characters.`, "Return a flatter value from a step.");
  if (of === "trigger") return invalid("A message does not know context.trigger.", "It is context.payload here.");
  if (of === "payload")
    return id === "" ? invalid("The whole payload is no text.", "Name a property: {{context.payload.<property>}}.") : VALUE;
  if (of !== "steps") return invalid(`The context has payload and steps, but no ${quoted(of ?? "")}.`, FORMS);
  if (id === "") return invalid("It names no step.", "Name one and a property: {{context.steps.<id>.<property>}}.");
  if (rest.length === 0) return invalid("The whole output of a step is no text.", `Name a property: {{context.steps.${id}.<property>}}.`);
  return { kind: "output", id };
}

const VALUE: Meaning = { kind: "value" };
const invalid = (why: string, hint: string): Meaning => ({ kind: "invalid", why, hint });

function happened(name: string, event: HookEvent): Meaning {
  const isKnown = HAPPENED.get(name);
  const known = [...HAPPENED].filter(([, there]) => there(event)).map(([one]) => one);
  if (!isKnown) return invalid(`${quoted(name)} does not exist.`, didYouMean(name, known, `There is ${known.join(", ")}.`));
  if (isKnown(event)) return VALUE;
  const hooks = [...HOOKS].filter(([, other]) => isKnown(other)).map(([hook]) => `<${hook}>`);
  return invalid(`${quoted(name)} is not known yet, or never, in this hook.`, `It is known in ${hooks.join(", ")}.`);
}
