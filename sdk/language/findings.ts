import { isOwn } from "./codes.ts";
import type { Diagnostic, Remark } from "./diagnostic.ts";
import type { Profile } from "./project.ts";
import type { Source } from "./reader.ts";
import { Places, type Range } from "./source.ts";
import type { Attribute, Element } from "./tree.ts";

/** More than this of one document helps nobody, and a hostile one could ask for a million. */
const SHOWN = 100;
/** So it is with documents: behind this many remarks no further one is opened. */
const SHOWN_OF_ALL = 1_000;

interface Finding {
  readonly remark: Remark;
  readonly range: Range;
}

/**
 * Collects what is wrong with a document. One cause, one diagnostic: an attribute is reported once, and what stands inside a refused
 * element is not looked into.
 */
export class Findings {
  readonly #found: Finding[] = [];
  readonly #attributes = new Set<Attribute>();
  readonly #refused = new Set<Element>();

  add(range: Range, remark: Remark): void {
    this.#found.push({ remark, range });
  }
  onName(attribute: Attribute, remark: Remark): void {
    this.#onAttribute(attribute, attribute.nameRange, remark);
  }
  onValue(attribute: Attribute, remark: Remark): void {
    this.#onAttribute(attribute, attribute.valueRange, remark);
  }
  /** On a part of an attribute's value (within.ts finds its place). */
  onPart(attribute: Attribute, range: Range, remark: Remark): void {
    this.#onAttribute(attribute, range, remark);
  }
  /** An attribute that somebody has reported already is of no use to later rules. */
  isSound(attribute: Attribute): boolean {
    return attribute.value !== null && !this.#attributes.has(attribute);
  }
  /** Without a remark when another place carries it. */
  refuse(element: Element, remark?: Remark): void {
    if (this.#refused.has(element)) return;
    this.#refused.add(element);
    if (remark) this.add(element.openRange, remark);
  }
  isRefused(element: Element): boolean {
    return this.#refused.has(element);
  }
  get refused(): Iterable<Element> {
    return this.#refused;
  }
  get count(): number {
    return this.#found.length;
  }
  /** Whether so much has been found that a hint found by search would hardly be shown. */
  get isLong(): boolean {
    return this.#found.length >= 10 * SHOWN;
  }
  get hasError(): boolean {
    return this.#found.some(isError);
  }

  /**
   * Sorted by place, then code. Where there are too many, warnings give way to errors. In a profile of another WOML what is refused here
   * alone is a warning; `hasError` counts it all the same, since no definition can be made of it.
   */
  diagnostics({ path: file, text }: Source, profile?: Profile): Diagnostic[] {
    const places = new Places(text);
    const sorted = (profile ? this.#found.map(warned) : this.#found).toSorted(byPlace);
    if (sorted.length <= SHOWN) return sorted.map((finding) => diagnostic(file, places, finding));
    const [errors, warnings] = [sorted.filter(isError), sorted.filter((finding) => !isError(finding))];
    const shown = [...errors, ...warnings].slice(0, SHOWN).toSorted(byPlace);
    const more = tooMany(sorted.length - SHOWN, errors.length > SHOWN);
    const end = shown.at(-1)?.range ?? { start: 0, end: 0 };
    return [...shown, { range: end, remark: more }].map((finding) => diagnostic(file, places, finding));
  }

  #onAttribute(attribute: Attribute, range: Range, remark: Remark): void {
    if (!this.isSound(attribute)) return;
    this.#attributes.add(attribute);
    this.add(range, remark);
  }
}

const byPlace = (a: Finding, b: Finding): number =>
  a.range.start - b.range.start ||
  a.range.end - b.range.end ||
  (a.remark.code < b.remark.code ? -1 : a.remark.code > b.remark.code ? 1 : 0);

function diagnostic(file: string, places: Places, { remark, range }: Finding): Diagnostic {
  const { code, message, hint = null, severity = "error" } = remark;
  return { file, code, severity, message, hint, ...places.span(range) };
}

const isError = ({ remark }: Finding): boolean => remark.severity !== "warning";

const warned = ({ remark, range }: Finding): Finding => ({
  range,
  remark: remark.own || isOwn(remark.code) ? { ...remark, severity: "warning" } : remark,
});

/** What is wrong with several documents, one after the other. */
export function diagnosticsOf(documents: readonly (Source & { readonly findings: Findings })[], profile?: Profile): readonly Diagnostic[] {
  const shown: Diagnostic[] = [];
  for (const [at, { path, text, findings }] of documents.entries()) {
    const found = findings.diagnostics({ path, text }, profile);
    if (found.length > 0 && shown.length >= SHOWN_OF_ALL) {
      const rest = documents.slice(at);
      const more = tooMany(
        rest.reduce((count, other) => count + other.findings.count, 0),
        rest.some((other) => other.findings.hasError),
      );
      return [...shown, diagnostic(path, new Places(text), { remark: more, range: { start: 0, end: 0 } })];
    }
    shown.push(...found);
  }
  return shown;
}

const tooMany = (count: number, areErrors: boolean): Remark => ({
  code: "WOML_TOO_MANY_DIAGNOSTICS",
  message: `and ${count} more`,
  hint: "Mend the ones above first, then check again.",
  ...(!areErrors && { severity: "warning" }),
});
