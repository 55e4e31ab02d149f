// Makes one file of sdk/cli/quick.ts, the code that V8 has compiled of it while it checked the examples, and a note of what it was made of:
// sdk/cli/fresh.mjs takes them. Modules of workflows stay outside: what bundles them is loaded when there are some.
import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { join, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { constants, Script } from "node:vm";
import { type Plugin, rollup } from "@rollup/wasm-node";

const ROOT = join(import.meta.dirname, "..");
const TARGET = join(ROOT, "node_modules", ".cache", "woml");
const EXAMPLES = ["examples", "sdk/language/test/samples"].map((folder) => join(ROOT, folder));

/** Of each file that was read, its path, time and size: as they were before that, so that what changes while this runs is not taken for old. */
const read: (readonly [path: string, mtimeMs: number, size: number])[] = [];
function note(path: string): void {
  const { mtimeMs, size } = statSync(path);
  read.push([relative(ROOT, path), mtimeMs, size]);
}
/** Finds and reads files as Node does. */
const files: Plugin = {
  name: "files",
  resolveId: (id, importer) => {
    if (id.startsWith("node:") || id === "@woml/modules") return { id, external: true };
    if (importer === undefined) return id;
    // Packages stand in one place, whoever asks.
    return fileURLToPath(id.startsWith(".") ? new URL(id, pathToFileURL(importer)) : import.meta.resolve(id));
  },
  load: (id) => {
    note(id);
    const text = readFileSync(id, "utf8");
    // Node blanks types out, by blanks of as many bytes as a character had.
    return id.endsWith(".ts") ? stripTypeScriptTypes(text).replace(/[\u00a0\u2002\u2003\u3000]/g, " ") : text;
  },
};

/** One expression, in ASCII: it is read without being decoded. */
async function bundled(): Promise<string> {
  const made = await rollup({ input: join(ROOT, "sdk/cli/quick.ts"), plugins: [files], onwarn: () => {} });
  const { output } = await made.generate({ format: "cjs", inlineDynamicImports: true, exports: "named" });
  const escaped = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return `(function (require, exports) {${output[0].code.replace(/[^\0-\x7f]/g, escaped)}\n})`;
}

/** The code of the functions that checking calls: V8 keeps what it has compiled by then. */
async function compiled(text: string): Promise<Buffer> {
  const options = { filename: join(TARGET, "check.cjs"), importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER };
  const script = new Script(text, options);
  const exported: { check?: (paths: readonly string[], format: "text") => Promise<number> } = {};
  script.runInThisContext()(process.getBuiltinModule, exported);
  const { write } = process.stdout;
  process.stdout.write = (_text: unknown, ...rest: readonly unknown[]) => {
    const done = rest.at(-1);
    if (typeof done === "function") done();
    return true;
  };
  await exported.check?.(EXAMPLES, "text");
  process.stdout.write = write;
  return script.createCachedData();
}

/** Whole or not at all. */
function keep(name: string, content: string | Buffer): void {
  const place = join(TARGET, name);
  writeFileSync(`${place}.${process.pid}`, content);
  renameSync(`${place}.${process.pid}`, place);
}

mkdirSync(TARGET, { recursive: true });
const text = await bundled();
const code = await compiled(text);
note(process.execPath);
// The note last: whoever reads meanwhile finds the old one, which does not fit any more.
keep("check.cjs", text);
keep("check.bin", code);
keep("check.json", JSON.stringify(read));
