import { type Absent, type Compiled, compile } from "../index.ts";
import { step, workflow } from "./sources.ts";

/** A document of a reusable step. */
export const definition = (props: string, body = "return props;", more = ""): string =>
  `<woml>${props && `<props>${props}</props>`}<step><script>${body}</script></step>${more}</woml>`;

/** A document of a notification provider. */
export const provider = (props = "", body = "return { messageId: '1' };"): string =>
  `<woml>${props && `<props>${props}</props>`}<provider kind="notification"><script>${body}</script></provider></woml>`;

export const FILES: Readonly<Record<string, string | Absent>> = {
  "lib/add-tax.woml": definition('<prop name="price" required="true" /><prop name="country-code" />'),
  "lib/with-key.woml": definition('<prop name="api-key" required="true" secret="true" /><prop name="note" />'),
  "lib/plain.woml": definition("", "return 1;"),
  "lib/chat.woml": provider('<prop name="room" required="true" /><prop name="token" secret="true" />'),
};
const IMPORTS = ["add-tax", "with-key", "plain", "chat"];

/** A workflow whose `steps` may use what stands in `lib`; `more` stands before `<steps>`. */
export function importing(steps: string, more = '<triggers><manual id="go" /></triggers>'): string {
  const text = workflow(steps, more);
  const used = IMPORTS.filter((alias) => text.includes(`<${alias}`));
  return used.length > 0 ? withImports(used.map((alias) => module(alias, `./lib/${alias}.woml`)).join(""), text) : text;
}

export const module = (name: string, from: string): string => `<module name="${name}" from="${from}" />`;
export const withImports = (modules: string, text = workflow(step("a"))): string =>
  text.replace("<woml>", `<woml><imports>${modules}</imports>`);

export const checkWith = (text: string, files: Readonly<Record<string, string | Absent>> = FILES): Compiled =>
  compile({ path: "flow.woml", text }, { files: new Map(Object.entries(files)), modules: new Map() });

/** `<code> <what it points at>` of each diagnostic, with its file when that is another one. */
export function told(text: string, files: Readonly<Record<string, string | Absent>> = FILES): readonly string[] {
  return checkWith(text, files).diagnostics.map(({ file, code, start, end }) => {
    const source = file === "flow.woml" ? text : String(files[file]);
    const mark = source.slice(start?.offset ?? 0, end?.offset ?? 0);
    return file === "flow.woml" ? `${code} ${mark}` : `${file}: ${code} ${mark}`;
  });
}
