import type { Range } from "./source.ts";

/** One exact `{{context…}}` reference, or why a value is none. Offsets are within the value. */
export type Read =
  /** `word`: what the author wrote; `trigger` is an older word for the payload. */
  | { readonly kind: "payload"; readonly word: "payload" | "trigger"; readonly path: readonly string[] }
  | { readonly kind: "steps"; readonly id: string; readonly idRange: Range; readonly path: readonly string[] }
  /** What there is inside a loop alone: `item` and its properties, the `index` and `total` of the iteration. */
  | { readonly kind: "iteration"; readonly path: readonly string[] }
  | { readonly kind: "invalid"; readonly why: string };

const FORM = /^\{\{context\.([A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*)\}\}$/;
const ID = /^[a-z][A-Za-z0-9]*$/;
const STEPS_AT = "{{context.steps.".length;
export const MOST_NAMES = 62;
export const MOST_CHARACTERS = 256;

export function readReference(value: string): Read {
  const names = FORM.exec(value)?.[1]?.split(".");
  if (!names) return invalid("Two braces hold names with dots between them, the first of which is context.");
  const [head = "", id, ...rest] = names;
  if (names.length > MOST_NAMES || names.some((name) => name.length > MOST_CHARACTERS)) {
    return invalid(`A reference has at most ${MOST_NAMES} names of ${MOST_CHARACTERS} characters.`);
  }
  if (head === "payload" || head === "trigger") return { kind: "payload", word: head, path: ["payload", ...names.slice(1)] };
  if (head === "steps" && id !== undefined && !ID.test(id)) return invalid("An id is a lower case letter, then letters and digits.");
  if (head === "steps" && id !== undefined) {
    return { kind: "steps", id, idRange: { start: STEPS_AT, end: STEPS_AT + id.length }, path: ["steps", id, ...rest] };
  }
  if (head === "steps") return invalid("It names no step.");
  if (head === "item" || (head === "iteration" && rest.length === 0 && (id === "index" || id === "total"))) {
    return { kind: "iteration", path: names };
  }
  return invalid(`The context has payload and steps, but no ${head.slice(0, 40)}.`);
}

const invalid = (why: string): Read => ({ kind: "invalid", why });

/** Whether a value names a secret, wherever in it. */
export const namesSecret = (value: string): boolean => value.includes("{{secrets.");
