import { check, codes, marked, step, workflow } from "./sources.ts";

/** A workflow with these triggers. */
export const triggered = (triggers: string): string => workflow(step("s"), `<triggers>${triggers}</triggers>`);
/** What the workflow says of its triggers: each code without its beginning, and what it points at. */
export const told = (triggers: string): readonly string[] => {
  const text = triggered(triggers);
  return codes(text).map((code, at) => `${code.slice("WOML_".length)} ${marked(text)[at]}`);
};
/** The first trigger of the definition. */
export const lowered = (triggers: string): unknown => check(triggered(triggers)).definition?.triggers[0];
