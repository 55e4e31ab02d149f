import type { Part, Section } from "./diagnostic.ts";
import { blank, countLineEnds } from "./lines.ts";
import type { Source } from "./source.ts";

/**
 * Joins sources, each of which follows all that it imports, into one ECMAScript module that exports what the last one does. Each source is
 * a function, so that its names stay its own, and what it imports are constants of that function: nothing is renamed, no path is written.
 */
export function link(
  sources: readonly Source[],
  exports: readonly string[],
): { readonly text: string; readonly sections: readonly Section[] } {
  const stem = unusedIn(sources);
  const names = new Map(sources.map(({ path }, at) => [path, `${stem}${at}`]));
  const texts: string[] = [];
  const sections: Section[] = [];
  let line = 1;
  const put = (text: string): void => {
    texts.push(text);
    line += countLineEnds(text);
  };
  for (const source of sources) {
    put(`const ${names.get(source.path)} = ${head(source, names)}`);
    sections.push({ path: source.path, line });
    put(edited(source));
    put(foot(source));
  }
  const last = `${stem}${sources.length - 1}`;
  put(`const { ${exports.join(", ")} } = ${last};\nexport { ${exports.join(", ")} };\n`);
  return { text: texts.join(""), sections };
}

function head({ requests, hasTopLevelAwait }: Source, names: ReadonlyMap<string, string>): string {
  const taken = requests.map(({ path, names: list }) => {
    const other = names.get(path);
    return list
      .map(({ local, taken }) => `const ${taken === null ? local : `{ ${JSON.stringify(taken)}: ${local} }`} = ${other};\n`)
      .join("");
  });
  return `${hasTopLevelAwait ? "(await (async () => {\n" : "(() => {\n"}${taken.join("")}`;
}

/** A promise of what has a `then` of its own would wait for it for ever: of what a source awaits, its names stand in something that has none. */
function foot({ offers, hasTopLevelAwait }: Source): string {
  const list = [...offers].map(([name, local]) => `get ${JSON.stringify(name)}() { return ${local}; }`);
  const names = `{ ${["__proto__: null", ...list].join(", ")} }`;
  return hasTopLevelAwait ? `\nreturn { __proto__: null, names: ${names} };\n})()).names;\n` : `\nreturn ${names};\n})();\n`;
}

/** A source by itself: what it imports is declared, and means nothing. */
export function partOf(source: Source): Part {
  const locals = source.requests.flatMap(({ names }) => names.map(({ local }) => local));
  return { text: `${locals.length > 0 ? `let ${locals.join(", ")};\n` : ""}${edited(source)}` };
}

/** The text without its imports and exports, and without the line that names an interpreter. */
function edited({ text, edits }: Source): string {
  const parts: string[] = [];
  let at = 0;
  for (const edit of edits.toSorted((a, b) => a.start - b.start)) {
    parts.push(text.slice(at, edit.start), edit.text);
    at = edit.end;
  }
  return [...parts, text.slice(at)].join("").replace(/^#!.*/, blank);
}

/** The beginning of a name that no source says: short, whatever they say. */
function unusedIn(sources: readonly Source[]): string {
  if (!sources.some(({ text }) => text.includes("source"))) return "source";
  const said = new Set<string>();
  for (const { text } of sources) for (const [, number = ""] of text.matchAll(/source(\d{1,8})_/g)) said.add(number);
  let number = 1;
  while (said.has(String(number))) number += 1;
  return `source${number}_`;
}

/** Characters that a source takes in a bundle, at the least. */
export function weightOf({ text, requests }: Source): number {
  const taken = requests.flatMap(({ names }) => names).map((name) => FRAME + name.local.length + (name.taken?.length ?? 0));
  return taken.reduce((sum, length) => sum + length, text.length);
}
/** `const x = source0;` without the name. */
const FRAME = 17;
