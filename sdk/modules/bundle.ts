import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import { type Absent, type Bundle, type Diagnostic, type Fault, MOST_FAULTS, type Part, placed, quoted, type Read } from "./diagnostic.ts";
import { Graph } from "./graph.ts";
import { link, partOf, weightOf } from "./link.ts";
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
  const faultsOf = faultsIn(graph);
  const joined = once(partOf);
  const made = new Map<string, Bundle | Absent | readonly Diagnostic[]>();
  let bytes = 0;
  for (const entry of sorted) {
    if (graph.absent.has(entry)) {
      const absent = graph.absent.get(entry);
      if (absent) made.set(entry, absent);
      continue;
    }
    const sources = graph.order(entry);
    if (sources.every((source) => faultsOf(source).length === 0)) {
      // Behind the first that is too much for all, none is made.
      const bundled = bytes > BUNDLES_LIMIT ? null : join(sources, joined);
      bytes += bundled?.bytes ?? 0;
      made.set(entry, bundled && bytes <= BUNDLES_LIMIT ? bundled.bundle : sayAll(sources.slice(-1), told, () => [tooLarge(bytes)]));
    } else made.set(entry, sayAll(sources, told, faultsOf));
  }
  return made;
}

/** What is wrong with a source, itself and with what it takes of others: looked for once, however many entries reach it. */
function faultsIn(graph: Graph): (source: Source) => readonly Fault[] {
  return once((source) => [...(graph.faults.get(source.path) ?? []), ...unknownNames(source, graph.sources)]);
}

/** Asks once for each source. */
function once<T extends object>(of: (source: Source) => T): (source: Source) => T {
  const known = new Map<Source, T>();
  return (source) => {
    const answer = known.get(source) ?? of(source);
    known.set(source, answer);
    return answer;
  };
}

/** null when that is too large. */
function join(sources: readonly Source[], joined: (source: Source) => Part): { readonly bundle: Bundle; readonly bytes: number } | null {
  // Not even joined: a hundred entries may share what is too large.
  if (sources.reduce((sum, source) => sum + weightOf(source), 0) > BUNDLE_LIMIT) return null;
  const exports = [...(sources.at(-1)?.offers.keys() ?? [])].sort();
  const { text, sections } = link(sources, exports);
  const bytes = utf8ToBytes(text);
  if (bytes.length > BUNDLE_LIMIT) return null;
  const digest = `sha256:${bytesToHex(sha256(bytes))}`;
  return { bundle: { exports, text, digest, parts: sources.map(joined), sections }, bytes: bytes.length };
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
  return source.requests.flatMap(({ specifier, path, names, from, to }) => {
    const other = sources.get(path);
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
