import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ALONE } from "../project.ts";
import type { Publishable } from "../publish.ts";

export const EXAMPLES: string = join(import.meta.dirname, "..", "..", "..", "examples");

/** An example's document, as it is published. */
export const exampleSource = (name: string): Extract<Publishable, { readonly kind: "source" }> => {
  const path = `examples/${name}.woml`;
  return { kind: "source", source: { path, text: readFileSync(join(EXAMPLES, `${name}.woml`), "utf8"), brokenAt: null }, around: ALONE };
};
