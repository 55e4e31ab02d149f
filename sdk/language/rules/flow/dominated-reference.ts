import type { Remark } from "../../diagnostic.ts";
import type { Findings } from "../../findings.ts";
import { Outputs } from "../../outputs.ts";
import { readReference } from "../../reference.ts";
import { quoted } from "../../source.ts";
import { type Attribute, type Element, elementsOf, textOf } from "../../tree.ts";
import { REFERENCE_ATTRIBUTES } from "./exact-reference.ts";

/**
 * Every reference names an output that has surely been made where it is read. Runs when all else has been looked at, because an id
 * inside a refused element is not unknown: its cause has been reported.
 */
export function dominatedReferences(root: Element, findings: Findings): void {
  const walk = new Walk(findings, idsOf(root, findings), hiddenIds(findings));
  walk.visit(root);
}

class Walk {
  readonly #findings: Findings;
  readonly #known: ReadonlyMap<string, string>;
  readonly #hidden: ReadonlySet<string>;
  readonly #outputs = new Outputs();

  constructor(findings: Findings, known: ReadonlyMap<string, string>, hidden: ReadonlySet<string>) {
    this.#findings = findings;
    this.#known = known;
    this.#hidden = hidden;
  }

  visit(element: Element): void {
    if (this.#findings.isRefused(element)) return;
    const attribute = element.attributes.get(REFERENCE_ATTRIBUTES.get(element.name) ?? "");
    if (attribute && this.#findings.isSound(attribute)) this.#check(attribute);
    const mark = this.#outputs.mark();
    // Siblings of a parallel group do not see each other, but steps hold no references: visiting them in turn comes to the same.
    for (const child of elementsOf(element)) if (child.name !== "result") this.visit(child);
    // A result sees its whole arm, also when it stands too early: that has been reported.
    for (const child of elementsOf(element)) if (child.name === "result") this.visit(child);
    if (element.name === "when" || element.name === "otherwise") this.#outputs.back(mark);
    const id = textOf(element, "id");
    if (id !== undefined && (element.name === "step" || element.name === "choose")) this.#outputs.add(id);
  }

  #check(attribute: Attribute): void {
    const read = readReference(attribute.value ?? "");
    if (read.kind !== "steps" || this.#outputs.has(read.id) || this.#hidden.has(read.id)) return;
    const { start, end } = attribute.valueRange;
    const isAsTyped = end - start === attribute.value?.length;
    const range = isAsTyped ? { start: start + read.idRange.start, end: start + read.idRange.end } : attribute.valueRange;
    this.#findings.add(range, remarkOn(read.id, this.#known.get(read.id)));
  }
}

function remarkOn(id: string, kind: string | undefined): Remark {
  if (kind === undefined) {
    const message = `No step or choose has the id ${quoted(id)}.`;
    return { code: "WOML_UNKNOWN_REFERENCE", message, hint: "Correct the id." };
  }
  if (kind === "parallel") {
    const message = `The parallel group ${quoted(id)} has no output.`;
    return { code: "WOML_REFERENCE_NOT_DOMINATING", message, hint: "Refer to one of its steps." };
  }
  const message = `The output of ${quoted(id)} is not certain to exist here.`;
  return {
    code: "WOML_REFERENCE_NOT_DOMINATING",
    message,
    hint: "Refer to something that is always completed before: an earlier item, or the choose itself instead of its arm.",
  };
}

/** By id: the kind of the element that has it. */
function idsOf(root: Element, findings: Findings): ReadonlyMap<string, string> {
  const ids = new Map<string, string>();
  const enter = (element: Element): void => {
    if (findings.isRefused(element)) return;
    const id = textOf(element, "id");
    if (id !== undefined && /^(step|choose|parallel)$/.test(element.name)) ids.set(id, element.name);
    for (const child of elementsOf(element)) enter(child);
  };
  enter(root);
  return ids;
}

function hiddenIds(findings: Findings): ReadonlySet<string> {
  const ids = new Set<string>();
  const enter = (element: Element): void => {
    const id = textOf(element, "id");
    if (id !== undefined) ids.add(id);
    for (const child of elementsOf(element)) enter(child);
  };
  for (const element of findings.refused) enter(element);
  return ids;
}
