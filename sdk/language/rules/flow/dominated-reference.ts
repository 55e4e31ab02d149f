import type { Code } from "../../codes.ts";
import type { Remark } from "../../diagnostic.ts";
import type { Document } from "../../document.ts";
import { hasNameless } from "../../meant.ts";
import { readReference } from "../../reference.ts";
import { guesses } from "../../script/remarks.ts";
import { quoted } from "../../source.ts";
import { tagOf } from "../../tag.ts";
import { type Attribute, type Element, elementsOf, textOf } from "../../tree.ts";
import { isRoute, joinedOf, type Kind, namedIn, visibilityOf } from "../../visibility.ts";
import { within } from "../../within.ts";
import { ITERATION, isInLoop, REFERENCE_ATTRIBUTES } from "./exact-reference.ts";
import { helpFor, lineOf } from "./unseen.ts";

/**
 * Every reference names an output that has surely been made where it is read. Runs when all else has been looked at, because an id
 * inside a refused element is not unknown: its cause has been reported.
 */
export function dominatedReferences(document: Document): void {
  const { root, findings, text } = document;
  const remarkOn = judge(document);
  const enter = (element: Element): void => {
    if (findings.isRefused(element)) return;
    for (const attribute of readersOf(element, document)) {
      const read = findings.isSound(attribute) ? readReference(attribute.value ?? "") : null;
      if (read?.kind === "iteration" && !isInLoop(element)) findings.onValue(attribute, ITERATION);
      const remark = read?.kind === "steps" ? remarkOn(read.id, element) : null;
      if (remark && read?.kind === "steps") findings.onPart(attribute, within(attribute, read.idRange, text), remark);
    }
    for (const child of elementsOf(element)) enter(child);
  };
  enter(root);
}

/** The attributes of an element that may hold a reference. */
function readersOf(element: Element, document: Document): readonly Attribute[] {
  const name = element.name === "for-each" ? "items" : REFERENCE_ATTRIBUTES.get(element.name);
  const attribute = element.attributes.get(name ?? "");
  if (attribute) return [attribute];
  const props = tagOf(element, document)?.definition?.props;
  return props ? [...element.attributes.values()].filter((prop) => props.has(prop.name)) : [];
}

interface Named {
  readonly kind: Kind;
  readonly element: Element;
}

/** What is wrong when `place` reads the output of `id`; null when it may. */
function judge(document: Document): (id: string, place: Element) => Remark | null {
  const visibility = visibilityOf(document);
  const named = new Map<string, Named>();
  for (const { id, kind, element } of namedIn(document)) if (!named.has(id)) named.set(id, { kind, element });
  const hidden = hiddenIds(document);
  const isJoined = joins();
  const guess = guesses();
  const isDoubtful = hasNameless(document);
  return (id, place) => {
    const found = named.get(id);
    // Outside the flow, in a hook, anything may have been made: but only what exists, and has an output.
    if (hidden.has(id) || (found && hasOutput(found) && visibility.sees(place, id))) return null;
    if (!found && isDoubtful) return null;
    if (found) return isApart(found.element, place, isJoined) ? apart(id) : unseen(id, found, place, document);
    const hint = guess(id, withOutput(named), "Correct the id.");
    return { code: "WOML_UNKNOWN_REFERENCE", message: `Nothing in this workflow has the id ${quoted(id)}.`, hint };
  };
}

const hasOutput = ({ kind }: Named): boolean => kind !== "parallel" && kind !== "fork";

function* withOutput(named: ReadonlyMap<string, Named>): Generator<string> {
  for (const [id, found] of named) if (hasOutput(found)) yield id;
}

/** Whether an output is made in a branch of a fork that `place` stands beside, or in one that is not waited for and `place` outside. */
function isApart(made: Element, place: Element, isJoined: (branch: Element, fork: Element) => boolean): boolean {
  const around = new Set(lineOf(place));
  for (const branch of lineOf(made)) {
    const { parent } = branch;
    if (!isRoute(branch) || !parent || around.has(branch)) continue;
    if (around.has(parent) || !isJoined(branch, parent)) return true;
  }
  return false;
}

/** Reads the join of a fork once, however many references it is asked for. */
function joins(): (branch: Element, fork: Element) => boolean {
  const read = new Map<Element, ReturnType<typeof joinedOf>>();
  return (branch, fork) => {
    const isJoined = read.get(fork) ?? joinedOf(fork);
    read.set(fork, isJoined);
    return isJoined(textOf(branch, "id"));
  };
}

const apart = (id: string): Remark => ({
  code: "WOML_FORK_REFERENCE_NOT_VISIBLE",
  message: `${quoted(id)} is made in another branch of a fork, which is not waited for here.`,
  hint: "Branches do not see each other, and behind the fork only those that join names are seen.",
});

function unseen(id: string, { kind, element }: Named, place: Element, document: Document): Remark {
  const code = codeAt(place, document);
  if (kind === "parallel" || kind === "fork") {
    const hint = `Refer to something inside the ${kind}.`;
    return { code, message: `The ${kind} ${quoted(id)} has no output.`, hint };
  }
  return { code, message: `The output of ${quoted(id)} is not certain to exist here.`, hint: helpFor(element, place) };
}

function codeAt(place: Element, document: Document): Code {
  if (place.name === "for-each") return "WOML_FOR_EACH_ITEMS_NOT_VISIBLE";
  return tagOf(place, document) ? "WOML_REUSABLE_PROP_CONTEXT_UNAVAILABLE" : "WOML_REFERENCE_NOT_DOMINATING";
}

/** Ids of what has been refused, and of what is in it. */
function hiddenIds(document: Document): ReadonlySet<string> {
  const ids = new Set<string>();
  for (const element of document.findings.refused) {
    const id = textOf(element, "id");
    if (id !== undefined) ids.add(id);
    for (const inner of namedIn(document, element)) ids.add(inner.id);
  }
  return ids;
}
