// Whether what tools/bundle.ts has made is still what its sources say. Plain JavaScript of Node 20: tools/install.mjs asks too.
// Node's own modules are asked for and not imported: an import of node:fs alone loads all its streams.
const { readFileSync, statSync } = process.getBuiltinModule("fs");
const { dirname, join } = process.getBuiltinModule("path");
const { fileURLToPath } = process.getBuiltinModule("url");
const { constants, Script } = process.getBuiltinModule("vm");

const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
const AT = join(ROOT, "node_modules", ".cache", "woml", "check");

/** By time and size of each file that it was made of, Node among them. */
export function isFresh() {
  try {
    const files = JSON.parse(readFileSync(`${AT}.json`, "utf8"));
    return files.length > 0 && files.every(isAsItWas);
  } catch {
    return false;
  }
}

function isAsItWas([path, mtimeMs, size]) {
  const found = statSync(join(ROOT, path), { throwIfNoEntry: false });
  return found?.mtimeMs === mtimeMs && found.size === size;
}

/** What quick.ts exports; null when it has to be made anew. */
export function freshBundle() {
  if (!isFresh()) return null;
  const options = {
    filename: `${AT}.cjs`,
    cachedData: readFileSync(`${AT}.bin`),
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  };
  const exported = {};
  new Script(readFileSync(`${AT}.cjs`, "latin1"), options).runInThisContext()(process.getBuiltinModule, exported);
  return exported;
}
