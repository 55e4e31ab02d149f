// What holds of every answer of the compiler, whatever the text.
import assert from "node:assert/strict";
import { CODES, type Compiled, compile, type Diagnostic, type Position, render } from "@woml/language";
import { accept, canonical } from "@woml/model";
import { CODES as MODULE_CODES } from "@woml/modules";
import { type Cost, costOf, spentMs } from "./cost.ts";
import type { Made } from "./made.ts";

/** `thrown`: the compiler has; `refused`: its definition is not accepted; `untrue`: its remarks are not as they must be. */
export type Fault = "thrown" | "refused" | "untrue";
export interface Verdict {
  readonly fault: { readonly kind: Fault; readonly why: string } | null;
  readonly isValid: boolean;
  readonly codes: readonly string[];
  readonly cost: Cost;
}

/** Remarks of one file, with the one that says how many more there are. */
const MOST_REMARKS = 101;
const UNACCEPTABLE = "lowering made an unacceptable definition";

/** Compiles a document, and holds the answer to what is true of every one. */
export function judge(document: Made): Verdict {
  let compiled: Compiled | undefined;
  let fault: Verdict["fault"] = null;
  const ms = spentMs(() => {
    try {
      compiled = compile(document.source, document.project);
    } catch (error) {
      const why = error instanceof Error ? (error.stack ?? error.message) : String(error);
      fault = { kind: why.includes(UNACCEPTABLE) ? "refused" : "thrown", why };
    }
  });
  if (!compiled) return { fault, isValid: false, codes: [], cost: costOf(document, 0) };
  const { definition, diagnostics } = compiled;
  fault = untrue(compiled, document) ?? refused(definition);
  return { fault, isValid: definition !== null, codes: diagnostics.map(({ code }) => code), cost: costOf(document, ms) };
}

function untrue(compiled: Compiled, document: Made): Verdict["fault"] {
  try {
    demandRemarks(compiled, document);
    return null;
  } catch (error) {
    return { kind: "untrue", why: String(error) };
  }
}

function refused(definition: Compiled["definition"]): Verdict["fault"] {
  try {
    if (definition) assert.deepEqual(accept(JSON.parse(canonical(definition))), { definition });
    return null;
  } catch (error) {
    return { kind: "refused", why: String(error) };
  }
}

function demandRemarks({ diagnostics, definition, sourceMap, spans }: Compiled, { source, project, sources }: Made): void {
  if (diagnostics.some(({ severity }) => severity === "error")) assert.equal(definition, null, "an error has a definition");
  assert.equal(sourceMap === null, definition === null, "a source map without a definition, or none with one");
  assert.equal(spans === null, definition === null, "spans without a definition, or none with one");
  for (const [file, remarks] of Map.groupBy(diagnostics, (diagnostic) => diagnostic.file)) {
    assert.ok(remarks.length <= MOST_REMARKS, `${remarks.length} remarks on ${file}`);
    const text = file === source.path ? source.text : (project.files.get(file) ?? sources.get(file));
    assert.equal(typeof text, "string", `a remark on ${file}, which is no file`);
    if (typeof text === "string") demandPlaces(remarks, text);
  }
}

function demandPlaces(remarks: readonly Diagnostic[], text: string): void {
  const starts = lineStarts(text);
  let last = 0;
  for (const remark of remarks) {
    const { code, start, end, message, hint } = remark;
    assert.ok(Object.hasOwn(CODES, code) || Object.hasOwn(MODULE_CODES, code), `${code} is no code`);
    assert.ok(start && end && last <= start.offset && start.offset <= end.offset && end.offset <= text.length, `the place of ${code}`);
    for (const place of [start, end]) assert.deepEqual(place, positionOf(place.offset, starts), `line and column of ${code}`);
    last = start.offset;
    assert.ok(message.endsWith(".") || code === "WOML_TOO_MANY_DIAGNOSTICS", message);
    assert.ok(hint !== null && hint !== "", `${code} has no hint`);
    assert.doesNotMatch(render(remark, text).replaceAll("\n", ""), /\p{Cc}/u, `${code} is shown with control characters`);
  }
}

/** Where each line of a text begins. */
const lineStarts = (text: string): readonly number[] => [0, ...text.matchAll(/\n/g).map(({ index }) => index + 1)];

function positionOf(offset: number, starts: readonly number[]): Position {
  let [low, high] = [0, starts.length];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((starts[middle] ?? 0) <= offset) low = middle;
    else high = middle;
  }
  return { line: low + 1, column: offset - (starts[low] ?? 0) + 1, offset };
}
