import { BOUNDS } from "../bounds.ts";
import type { Script, Work } from "../frames.ts";
import { Bridge } from "./bridge.ts";
import { Chance } from "./chance.ts";
import { Clock } from "./clock.ts";
import { Printer } from "./console.ts";
import { Encoding } from "./encoding.ts";
import { failureReader } from "./failure.ts";
import { fetchOver } from "./fetch.ts";
import { Globals } from "./globals.ts";
import { Handles } from "./handles.ts";
import { Kit } from "./kit.ts";
import { Linker } from "./linker.ts";
import { own } from "./own.ts";
import { Realm } from "./realm.ts";
import { Writer } from "./result.ts";
import { shapeOf } from "./shape.ts";
import { Stream } from "./stream.ts";
import { Timers } from "./timers.ts";
import { whole } from "./whole.ts";

/** File name of our own frames in a stack, by which they are stripped. */
export const GUEST_FILE = "woml:guest";
/** The global a compiled body calls; gone before the body's first statement runs. */
const ENTRY = "__woml_enter__";

/** Globals that are there for scripts whose text names them: every one that is made costs a context. */
export const NAMED: readonly string[] = [
  ...["setTimeout", "clearTimeout", "crypto", "atob", "btoa", "TextEncoder", "TextDecoder", "structuredClone"],
  ...["Date", "Intl", "Temporal"],
];
const LAZY = { whole, Bridge, Clock, Timers, Chance, Stream, Encoding, Handles, Globals, Linker, fetchOver, shapeOf };

/** What every fresh context runs first; its value is the context's door. Functions and classes cross into it as their own source text. */
export const GUEST_TEXT: string = `(() => {
"use strict";
const own = (${own})();
const realm = new (${Realm})({
  own, bounds: () => (${JSON.stringify(BOUNDS)}), entry: ${JSON.stringify(ENTRY)}, failureReader: (${failureReader}), Writer: (${Writer}), Printer: (${Printer}),
  Kit: () => (${Kit}),
  resultDepth: ${BOUNDS.resultDepth}, maxLines: ${BOUNDS.consoleLines}, lineChars: ${BOUNDS.lineChars},
  lazy: () => ({
${Object.entries(LAZY)
  .map(([name, part]) => `${name}: () => (${part}),`)
  .join("\n")}
  }),
});
return (...knock) => realm.answer(knock);
})()`;

/** The parameters of a body: what it is not given it has no name for, `fetch` and `host` where what they call is not offered. */
export function parametersOf({ operations = [], ...given }: Bindings): string {
  const secrets = given.props === undefined ? ", secrets" : "";
  const more = (["props", "lifecycle", "notification"] as const).map((name) => (given[name] === undefined ? "" : `, ${name}`)).join("");
  const host = operations.some((name) => !name.includes(".")) ? ", host" : "";
  return `context, attempt, services${secrets}${more}${fetchOf(operations)}${host}`;
}
type Bindings = Pick<Work, "operations" | "props" | "lifecycle" | "notification">;
/** Those of a module's: it sees what its script may call, and nothing else of it. */
export const moduleParameters = (operations: readonly string[] = []): string => `services${fetchOf(operations)}`;
const fetchOf = (operations: readonly string[]): string => (operations.includes("http.request") ? ", fetch" : "");

/**
 * A bundle (sdk/modules) as the body of a function: its last line is what it answers. What it exports stands in an object of its own, for a
 * function called `then` would make a promise of one that is answered itself. null: it does not end as a bundle does.
 */
export function moduleText(bundle: string): string | null {
  const at = bundle.lastIndexOf("\nexport {");
  const [, names] = /^\nexport (\{ [^{}]+ \});\n$/.exec(at < 0 ? "" : bundle.slice(at)) ?? [];
  return names === undefined ? null : `${bundle.slice(0, at)}\nreturn { __proto__: null, exports: ${names} };\n`;
}
export interface Wrapped {
  readonly text: string;
  /** 0-based; before the first column where the wrapper is longer than what stands there. */
  readonly lineOffset: number;
  readonly columnOffset: number;
}
/**
 * The wrapper's head stands on the body's own first line; its last lines end whatever comment the body ends in, and take back whatever
 * name the body gave itself: the last sourceURL counts, and an empty one is none.
 */
export function wrapped(script: Script, parameters: string): Wrapped {
  const head = `${ENTRY}(async function (${parameters}) { "use strict"; `;
  return { text: `${head}${script.text}\n})\n//# sourceURL=`, lineOffset: script.line - 1, columnOffset: script.column - 1 - head.length };
}
/** The one frame of a stack that is the wrapper's call. */
export function wrapperFrame(script: Script, parameters: string): string {
  return `${script.file}:${script.line}:${wrapped(script, parameters).columnOffset + 1}`;
}
