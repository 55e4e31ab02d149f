import { attributesIn, scriptsIn, tagsIn } from "./markup.ts";

/** What documents are written with: names of elements, whole tags, attributes, values of attributes, words and signs of scripts. */
export interface Words {
  readonly elements: readonly string[];
  readonly tags: readonly string[];
  readonly attributes: readonly string[];
  readonly values: readonly string[];
  readonly scripts: readonly string[];
  readonly tokens: readonly string[];
}

export function wordsIn(texts: readonly string[]): Words {
  const of = (found: (text: string) => readonly string[]): readonly string[] => [...new Set(texts.flatMap(found))].sort();
  const written = (text: string, spans: readonly { readonly start: number; readonly end: number }[]): readonly string[] =>
    spans.map(({ start, end }) => text.slice(start, end));
  const attributes = of((text) => written(text, attributesIn(text)));
  const scripts = of((text) => written(text, scriptsIn(text)));
  return {
    elements: of((text) => tagsIn(text).map(({ name }) => name)),
    tags: of((text) => written(text, tagsIn(text))),
    attributes,
    values: [...new Set(attributes.map((attribute) => attribute.replace(/^[^=]*=\s*["']?|["']$/g, "")))],
    scripts,
    tokens: [...new Set(scripts.flatMap((script) => script.match(/[\w$]+|\s+|[^\w\s]/g) ?? []))].sort(),
  };
}
