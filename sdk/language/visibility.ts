import type { Document } from "./document.ts";
import { Outputs } from "./outputs.ts";
import { isStepTag } from "./tag.ts";
import { childrenNamed, type Element, elementsOf, textOf } from "./tree.ts";

/** What an id of a workflow stands for; `unknown`: something that is not known, and so may have been meant to be anything. */
export type Kind = "step" | "parallel" | "choose" | "switch" | "fork" | "for-each" | "approval" | "unknown";

const KINDS: ReadonlyMap<string, Kind> = new Map([
  ["step", "step"],
  ["parallel", "parallel"],
  ["choose", "choose"],
  ["branch", "choose"],
  ["switch", "switch"],
  ["fork", "fork"],
  ["for-each", "for-each"],
  ["approval", "approval"],
]);
const CHOICES: ReadonlySet<string> = new Set(["choose", "branch", "switch", "approval"]);
const ELSEWHERE: ReadonlySet<string> = new Set(["triggers", "lifecycle", "notify"]);

/** One of several branches of a fork, not an older choose with an id. */
export const isRoute = ({ name, parent }: Element): boolean => name === "branch" && parent?.name === "fork";

/** Whether a choice without an id is written as one that has an output: the id that is missing has been reported. */
export function lacksId(element: Element): boolean {
  const { name, attributes } = element;
  if ((name !== "choose" && name !== "switch") || attributes.has("id")) return false;
  const isNamed = attributes.has("name") || attributes.has("description");
  return isNamed || elementsOf(element).some((arm) => childrenNamed(arm, "result").length > 0);
}

/**
 * Whether an item of the main route gives the run a result. A choice without an id, a parallel group and a fork have no output; what is
 * not known may have been meant to have one.
 */
export function givesResult(element: Element): boolean {
  const { name, attributes } = element;
  if (name === "choose" || name === "switch") return attributes.has("id") || lacksId(element);
  return name !== "parallel" && name !== "fork";
}

/**
 * What every id of a workflow's flow stands for, whether it is sound or not. Only what is called `step` (tags of reusable steps are) is
 * an executable step. Ids of the branches of forks are their own fork's.
 */
export function idsOf(document: Document): ReadonlyMap<string, Kind> {
  const ids = new Map<string, Kind>();
  for (const { id, kind } of namedIn(document)) if (!ids.has(id)) ids.set(id, kind);
  return ids;
}

/** Every element of the flow that has an id, in source order. */
export function* namedIn(
  document: Document,
  under: Element = document.root,
): Generator<{ readonly id: string; readonly kind: Kind; readonly element: Element }> {
  for (const element of elementsOf(under)) {
    const id = textOf(element, "id");
    if (ELSEWHERE.has(element.name)) continue;
    if (id !== undefined && element.name !== "workflow" && !isRoute(element)) yield { id, kind: kindOf(element, document), element };
    yield* namedIn(document, element);
  }
}

const kindOf = (element: Element, document: Document): Kind =>
  KINDS.get(element.name) ?? (isStepTag(element, document) ? "step" : "unknown");

/** Which outputs are certain to exist at the places of a document's flow. */
export interface Visibility {
  /**
   * Whether the output of `id` is certain to exist where `place` reads: a `when`, `switch`, `result`, `for-each`, the tag of a reusable
   * step, a script. Always true for a place outside the flow, where nothing can be said.
   */
  sees(place: Element, id: string): boolean;
}

export function visibilityOf(document: Document): Visibility {
  const walk = new Walk();
  for (const workflow of childrenNamed(document.root, "workflow")) {
    for (const steps of childrenNamed(workflow, "steps")) walk.flow(elementsOf(steps));
  }
  return walk;
}

/** Walks a flow once, noting at each place how far the outputs have come. */
class Walk implements Visibility {
  readonly #outputs = new Outputs();
  readonly #places = new Map<Element, number>();

  sees(place: Element, id: string): boolean {
    for (let at: Element | null = place; at; at = at.parent) {
      const when = this.#places.get(at);
      if (when !== undefined) return this.#outputs.had(id, when);
    }
    return true;
  }

  flow(items: readonly Element[]): void {
    for (const item of items) if (item.name !== "result") this.#item(item);
    // A result sees all that stands beside it, also when it stands too early: that has been reported.
    for (const item of items) if (item.name === "result") this.#note(item);
  }

  #item(item: Element): void {
    const { name } = item;
    this.#note(item);
    if (name === "parallel") this.#parallel(item);
    else if (name === "fork") this.#fork(item);
    else if (name === "for-each") this.#leave(() => this.flow(elementsOf(item)));
    else {
      // A decision is there before the arms that it selects, the output of a choose or switch is made by them.
      if (name === "approval") this.#add(item);
      if (CHOICES.has(name)) this.#arms(item);
    }
    if (name !== "parallel" && name !== "fork") this.#add(item);
  }

  /** Children see what is there before the group; all of them are there behind it. */
  #parallel(group: Element): void {
    for (const child of elementsOf(group)) this.#note(child);
    for (const child of elementsOf(group)) this.#add(child);
  }

  #arms(choice: Element): void {
    for (const arm of elementsOf(choice)) {
      // Who is told of an approval is told before it is decided.
      if (arm.name === "notify") continue;
      this.#note(arm);
      this.#leave(() => this.flow(elementsOf(arm)));
    }
  }

  /** What the joined branches have made is there behind the fork. */
  #fork(fork: Element): void {
    const joined = joinedOf(fork);
    const made = elementsOf(fork).flatMap((branch) => {
      const ids = this.#leave(() => this.flow(elementsOf(branch)));
      return joined(textOf(branch, "id")) ? ids : [];
    });
    for (const id of made) this.#outputs.add(id);
  }

  #leave(inside: () => void): readonly string[] {
    const mark = this.#outputs.mark();
    inside();
    return this.#outputs.back(mark);
  }

  #note(place: Element): void {
    this.#places.set(place, this.#outputs.now);
  }

  #add(item: Element): void {
    const id = textOf(item, "id");
    if (id !== undefined) this.#outputs.add(id);
  }
}

/** Whether a branch of this fork is waited for at its end; so may each be where `join` names something that is no branch, which has been reported. */
export function joinedOf(fork: Element): (branch: string | undefined) => boolean {
  const join = textOf(fork, "join")?.trim() ?? "all";
  if (join === "all") return () => true;
  const named = new Set(join === "none" ? [] : join.split(/\s+/));
  const ids = new Set(elementsOf(fork).map((branch) => textOf(branch, "id")));
  if (![...named].every((id) => ids.has(id))) return () => true;
  return (branch) => branch !== undefined && named.has(branch);
}
