// Seen: a jitless worker's start to first answer 80 ms; stack lines stay true because blanking keeps every column.
import { createHash } from "node:crypto";
import { copyFileSync, globSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";

const CHILD = import.meta.dirname;
/** All that a child may load of this room, by the name it imports. */
const NAMES: Readonly<Record<string, string>> = {
  "@woml/child/framing": join(CHILD, "framing.ts"),
  "@woml/child/strict": join(CHILD, "strict.ts"),
};

/**
 * Writes a module for `--import` that serves a folder's TypeScript, one folder deep, and a child's share of this room with the types
 * already blanked: nothing of ours needs to be read from disk by the child. Why: `--jitless` switches WebAssembly off, and Node's own type
 * stripping is WebAssembly (ERR_WEBASSEMBLY_NOT_SUPPORTED).
 */
export function writePreload(folder: string, target: string): void {
  const inFolder = globSync(["*.ts", "*/*.ts"], { cwd: folder, exclude: ["test", ".tsc"] }).map((file) => join(folder, file));
  const sources = [...inFolder, ...Object.values(NAMES)].map((path) => [pathToFileURL(path).href, readFileSync(path, "utf8")] as const);
  const made = (): string => preloadText(Object.fromEntries(sources.map(([url, text]) => [url, stripTypeScriptTypes(text)])));
  const cache = process.env["NODE_COMPILE_CACHE"];
  if (cache === undefined) writeFileSync(target, made(), { mode: 0o600 });
  else writeCached(join(cache, `preload-${digestOf(sources)}.mjs`), target, made);
}

/** Blanking costs more than all else at a start; what is kept beside Node's own compiled code is named for what it was made of. */
function writeCached(kept: string, target: string, made: () => string): void {
  try {
    copyFileSync(kept, target);
  } catch {
    writeFileSync(target, made(), { mode: 0o600 });
    keep(target, kept);
  }
}

/** Whole or not at all. A place that cannot be written to is no reason not to start. */
function keep(target: string, kept: string): void {
  const fresh = `${kept}.${process.pid}`;
  try {
    mkdirSync(dirname(kept), { recursive: true });
    copyFileSync(target, fresh);
    renameSync(fresh, kept);
  } catch {
    // The next start blanks again.
  }
}

function digestOf(sources: readonly (readonly [url: string, text: string])[]): string {
  const own = readFileSync(import.meta.filename, "utf8");
  return createHash("sha256")
    .update(JSON.stringify([process.version, own, sources]))
    .digest("hex");
}

function preloadText(sources: Record<string, string>): string {
  const names = Object.fromEntries(Object.entries(NAMES).map(([name, path]) => [name, pathToFileURL(path).href]));
  return `import { registerHooks } from "node:module";
const sources = ${JSON.stringify(sources)};
const names = ${JSON.stringify(names)};
registerHooks({
  resolve: (name, context, next) => (Object.hasOwn(names, name) ? { url: names[name], format: "module", shortCircuit: true } : next(name, context)),
  load: (url, context, next) =>
    Object.hasOwn(sources, url) ? { format: "module", source: sources[url], shortCircuit: true } : next(url, context),
});
`;
}
