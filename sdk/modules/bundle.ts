import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import { type Absent, type Bundle, type Diagnostic, type Fault, MOST_FAULTS, placed, quoted, type Read } from "./diagnostic.ts";
import { Graph } from "./graph.ts";
import { link } from "./link.ts";
import { resolve } from "./path.ts";
import type { Source } from "./source.ts";

/** Length of one bundle, and of all of a document, in bytes of UTF-8. */
const BUNDLE_LIMIT = 3_145_728;
const BUNDLES_LIMIT = 33_554_432;

/**
 * Bundles the modules at `entries`, each with all that it imports. An entry that does not exist has no answer; one that cannot be read has
 * what `read` says. What is wrong with a source is said once, with the first entry, in the order of their paths, that reaches it: an entry
 * for which others have said all has an empty list. Never throws, whatever the texts.
 */
export function bundle(entries: readonly string[], read: Read): ReadonlyMap<string, Bundle | Absent | readonly Diagnostic[]> {
  const sorted = [...new Set(entries)].sort();
  const graph = new Graph(sorted, read);
  const told = new Set<string>();
  const made = new Map<string, Bundle | Absent | readonly Diagnostic[]>();
  let bytes = 0;
  for (const entry of sorted) {
    if (graph.absent.has(entry)) {
      const absent = graph.absent.get(entry);
      if (absent) made.set(entry, absent);
      continue;
    }
    const sources = graph.order(entry);
    const faults = new Map(
      sources.map((source) => [source, [...(graph.faults.get(source.path) ?? []), ...unknownNames(source, graph.sources)]]),
    );
    if ([...faults.values()].every((list) => list.length === 0)) {
      const bundled = join(sources);
      bytes += "text" in bundled ? utf8ToBytes(bundled.text).length : 0;
      made.set(entry, "text" in bundled && bytes <= BUNDLES_LIMIT ? bundled : sayAll(sources.slice(-1), told, () => [tooLarge(bytes)]));
    } else
      made.set(
        entry,
        sayAll(sources, told, (source) => faults.get(source) ?? []),
      );
  }
  return made;
}

function join(sources: readonly Source[]): Bundle | { readonly isTooLarge: true } {
  const exports = [...(sources.at(-1)?.offers.keys() ?? [])].sort();
  const text = link(sources, exports);
  const bytes = utf8ToBytes(text);
  if (bytes.length > BUNDLE_LIMIT) return { isTooLarge: true };
  return { exports, text, digest: `sha256:${bytesToHex(sha256(bytes))}` };
}

/** In the order in which a reader meets them: the entry first. */
function sayAll(sources: readonly Source[], told: Set<string>, of: (source: Source) => readonly Fault[]): readonly Diagnostic[] {
  const said: Diagnostic[] = [];
  for (const source of sources.toReversed()) {
    if (told.has(source.path)) continue;
    told.add(source.path);
    if (said.length < MOST_FAULTS) said.push(...placed(source.path, source.original, of(source)));
  }
  return said;
}

/** Names that a source takes of another that does not offer them. What the other is accused of itself hides what it offers. */
function unknownNames(source: Source, sources: ReadonlyMap<string, Source>): readonly Fault[] {
  return source.requests.flatMap(({ specifier, names, from, to }) => {
    const other = sources.get(resolve(source.path, specifier));
    if (!other || other.faults.length > 0) return [];
    return names.flatMap(({ taken }) => {
      if (taken === null || other.offers.has(taken)) return [];
      const message = `${quoted(specifier)} exports no ${quoted(taken)}.`;
      return [{ code: "WOML_MODULE_BUILD_FAILED", message, hint: "Correct the name, or export it there.", start: from, end: to }];
    });
  });
}

function tooLarge(bytes: number): Fault {
  const [what, limit] =
    bytes > BUNDLES_LIMIT ? ["The bundles of a document's modules", BUNDLES_LIMIT] : ["The bundle of a module", BUNDLE_LIMIT];
  const message = `${what} may have ${limit / 1_048_576} MiB.`;
  return { code: "WOML_MODULE_SIZE_LIMIT_EXCEEDED", message, hint: "Import less.", start: 0, end: 1 };
}
