import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const ROOT = join(import.meta.dirname, "..", "..");
/** What tools/bundle.ts makes: `check.mjs`, and in `check.json` of each file it was made of the time and the size. */
const CACHE = join(ROOT, "node_modules", ".cache", "woml");

/** The bundle of quick.ts as an address to import; null when there is none, or a file it was made of has changed since. */
export function freshBundle(): string | null {
  try {
    const inputs: readonly (readonly [path: string, mtimeMs: number, size: number])[] = JSON.parse(
      readFileSync(join(CACHE, "check.json"), "utf8"),
    );
    const isFresh = inputs.every(([path, mtimeMs, size]) => {
      const found = statSync(join(ROOT, path), { throwIfNoEntry: false });
      return found?.mtimeMs === mtimeMs && found.size === size;
    });
    return isFresh && inputs.length > 0 ? pathToFileURL(join(CACHE, "check.mjs")).href : null;
  } catch {
    return null;
  }
}
