// Seen: a jitless worker's start to first answer 80 ms; stack lines stay true because blanking keeps every column.
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { join } from "node:path";
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
  const sources: Record<string, string> = {};
  for (const path of [...inFolder, ...Object.values(NAMES)]) {
    sources[pathToFileURL(path).href] = stripTypeScriptTypes(readFileSync(path, "utf8"));
  }
  writeFileSync(target, preloadText(sources), { mode: 0o600 });
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
