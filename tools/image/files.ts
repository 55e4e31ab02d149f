// Which files of a folder the image holds.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** Of a package: what Node never loads. */
const UNLOADED = [
  /\.(map|md|markdown|tsbuildinfo|tgz|flow|lock|ya?ml)$/i,
  /\.(ts|mts|cts|tsx|cc?|cpp|hh?|hpp|gypi?)$/,
  /(^|\/)(tests?|__tests__|benchmarks?|coverage|docs|examples?|man|typings|\.[^/]+)\//,
  /(^|\/)(\.[^/]+|[^/]+\.(test|spec|bench)\.[cm]?js|package-lock\.json|tsconfig[^/]*\.json)$/,
];
/** Of a room: what only its authors need. */
const UNSHIPPED = [
  /(^|\/)(test|node_modules|dist|\.[^/]+)\//,
  /\.(md|tsbuildinfo|d\.ts)$/,
  /(^|\/)(tsconfig[^/]*\.json|\.[^/]+)$/,
  /^(prisma\/(prisma\.config|draft)|services\/platform\/testing)\.ts$/,
];
/** Of packages that hold much for other platforms, databases or builds: what is taken all the same. */
const TAKEN: Readonly<Record<string, RegExp>> = {
  "isolated-vm": new RegExp(`^(isolated-vm\\.js|package\\.json|LICENSE|prebuilds/${process.platform}-${process.arch}/.*)$`),
  "@prisma/client": /^(package\.json|LICENSE|runtime\/(client|query_compiler_fast_bg\.postgresql(\.wasm-base64)?)\.m?js)$/,
  luxon: /^(package\.json|LICENSE.*|build\/(node|cjs-browser|es6)\/.*|src\/.*)$/,
};

export function filesOfPackage(root: string, folder: string): readonly string[] {
  const name = folder.slice(folder.lastIndexOf("node_modules/") + "node_modules/".length);
  const taken = TAKEN[name];
  return filesIn(join(root, folder), ["node_modules"]).filter(
    (file) => !UNLOADED.some((pattern) => pattern.test(file)) && (taken === undefined || taken.test(file)),
  );
}

export function filesOfRoom(root: string, folder: string): readonly string[] {
  return filesIn(join(root, folder), []).filter(
    (file) => !UNSHIPPED.some((pattern) => pattern.test(file) || pattern.test(`${folder}/${file}`)),
  );
}

/** Relative imports of TypeScript files that lead to none of `files`, as `FILE imports TARGET`. */
export function brokenImports(root: string, files: readonly string[]): readonly string[] {
  const held = new Set(files);
  return files
    .filter((file) => file.endsWith(".ts"))
    .flatMap((file) => {
      const found = readFileSync(join(root, file), "utf8").matchAll(/(?:\bfrom|\bimport)\s*\(?\s*"(\.[^"]+)"/g);
      const targets = [...found].map(([, target = ""]) => join(dirname(file), target));
      return targets.filter((target) => !held.has(target)).map((target) => `${file} imports ${target}`);
    });
}

function filesIn(folder: string, without: readonly string[], under = ""): readonly string[] {
  return readdirSync(join(folder, under), { withFileTypes: true }).flatMap((entry) => {
    const path = `${under}${entry.name}`;
    if (entry.isDirectory()) return under === "" && without.includes(entry.name) ? [] : filesIn(folder, without, `${path}/`);
    return entry.isFile() ? [path] : [];
  });
}
