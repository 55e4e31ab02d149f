import type { Notice, Prop, Reusable, Script, StepNode } from "@woml/model";
import type { DeclaredProp, ReusableDefinition } from "../document.ts";
import { readReference } from "../reference.ts";
import { secretName } from "../secret.ts";
import type { Range } from "../source.ts";
import { tagOf } from "../tag.ts";
import { childrenNamed, type Element, elementsOf, numberOf } from "../tree.ts";
import { labels, required } from "./attribute.ts";
import type { Draft, Ends } from "./draft.ts";
import { lowerRetry } from "./retry.ts";
import { lowerScript } from "./script.ts";

/** A tag of a reusable step is a step with the definition's script, under the tag's id. */
export function lowerReusableStep(tag: Element, draft: Draft): Ends {
  const id = required(tag, "id");
  const { script, reusable, written } = new Tag(tag, draft, id).lowered();
  const retry = lowerRetry(tag);
  const node: StepNode = { kind: "step", id, ...labels(written), ...labels(tag), script, reusable, ...(retry && { retry }) };
  draft.add(node, tag);
  return { entry: id, exit: id };
}

/** A tag of a provider, without its message. `id`: whose notice it is, an approval's or `hook:<event>:<n>`. */
export function lowerReusableNotice(tag: Element, draft: Draft, id: string): Extract<Notice, { provider: "custom" }> {
  const { script, reusable } = new Tag(tag, draft, id, `${id}:notify:${numberOf(tag)}`).lowered();
  return { provider: "custom", script, reusable };
}

const HOOKS = [
  ["on-success", "onSuccess"],
  ["on-error", "onError"],
  ["on-complete", "onComplete"],
] as const;

class Tag {
  readonly #tag: Element;
  readonly #draft: Draft;
  /** Whose scripts these are; `place`: what the source map calls the first. */
  readonly #id: string;
  readonly #place: string;
  readonly #definition: ReusableDefinition;

  constructor(tag: Element, draft: Draft, id: string, place: string = id) {
    const definition = tagOf(tag, draft.document)?.definition;
    if (!definition) throw new Error(`the tag ${tag.name} without a definition has passed the rules`);
    this.#tag = tag;
    this.#draft = draft;
    this.#id = id;
    this.#place = place;
    this.#definition = definition;
  }

  lowered(): { readonly script: Script; readonly reusable: Reusable; readonly written: Element } {
    const { kind, document } = this.#definition;
    const [written] = childrenNamed(document.root, kind);
    const [script] = written ? childrenNamed(written, "script") : [];
    if (!written || !script) throw new Error(`the definition of ${this.#tag.name} without a script has passed the rules`);
    return { written, script: this.#script(script, this.#place), reusable: { props: this.#props(), ...this.#hooks() } };
  }

  /** What a script elsewhere reaches is placed at the tag. */
  #script(script: Element, place: string): Script {
    const { document } = this.#definition;
    this.#draft.foreign.set(place, { document, start: document.read(script).start });
    return lowerScript(script, this.#draft, { id: this.#id, from: { document, tag: this.#tag.openRange } });
  }

  #hooks(): Pick<Reusable, "onSuccess" | "onError" | "onComplete"> {
    const hooks = childrenNamed(this.#definition.document.root, "lifecycle").flatMap(elementsOf);
    const entries = HOOKS.flatMap(([name, key]) => {
      const scripts = hooks.filter((hook) => hook.name === name).flatMap((hook) => childrenNamed(hook, "script"));
      const lowered = scripts.map((script, at) => this.#script(script, `${this.#place}:${name}:${at + 1}`));
      return lowered.length > 0 ? [[key, lowered] as const] : [];
    });
    return Object.fromEntries(entries);
  }

  #props(): Prop[] {
    const named = new Map<string, Range>();
    const props: Prop[] = [];
    for (const { name, value, valueRange } of this.#tag.attributes.values()) {
      const declared = this.#definition.props.get(name);
      if (!declared || value === null) continue;
      const lowered = propValue(value, declared);
      if (lowered.kind === "secret") named.set(lowered.name, valueRange);
      props.push({ name: declared.binding, value: lowered });
    }
    if (named.size > 0) this.#draft.secrets.set(this.#id, new Map([...(this.#draft.secrets.get(this.#id) ?? []), ...named]));
    return props.sort((a, b) => (a.name < b.name ? -1 : 1));
  }
}

function propValue(text: string, { name, secret }: DeclaredProp): Prop["value"] {
  if (secret) {
    const named = secretName(text);
    if (named === null) throw new Error(`the secret prop ${name} without a secret has passed the rules`);
    return { kind: "secret", name: named };
  }
  const read = readReference(text);
  return read.kind === "invalid" ? { kind: "literal", text } : { kind: "reference", path: [...read.path] };
}
