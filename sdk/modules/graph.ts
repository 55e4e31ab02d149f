import { utf8ToBytes } from "@noble/hashes/utils.js";
import { type Absent, type Fault, quoted, type Read } from "./diagnostic.ts";
import { specifierFault } from "./path.ts";
import { readSource, type Source } from "./source.ts";
import type { Request } from "./surface.ts";

/** Sources of all modules of a document. */
export const GRAPH_LIMIT = 512;
/** Their length in all, in bytes of UTF-8. */
export const SOURCES_LIMIT = 16_777_216;

interface Visit {
  readonly source: Source;
  next: number;
}

/** The sources that the entries reach, read depth first, and what is wrong with them. */
export class Graph {
  readonly sources: Map<string, Source> = new Map();
  /** By path of the source. */
  readonly faults: Map<string, Fault[]> = new Map();
  /** Entries that cannot be read; undefined where there is no file. */
  readonly absent: Map<string, Absent | undefined> = new Map();
  readonly #read: Read;
  readonly #entries: ReadonlySet<string>;
  readonly #opened = new Map<string, string | Absent | undefined>();
  readonly #imports = new Map<Source, readonly string[]>();
  readonly #done = new Set<string>();
  #bytes = 0;
  #isFull = false;

  constructor(entries: readonly string[], read: Read) {
    this.#read = read;
    this.#entries = new Set(entries);
    for (const entry of entries) this.#visit(entry);
  }

  /** The sources that an entry reaches, each after all that it imports. */
  order(entry: string): readonly Source[] {
    const found = new Set<Source>();
    const entered = new Set([entry]);
    const first = this.sources.get(entry);
    const waiting: Visit[] = first ? [{ source: first, next: 0 }] : [];
    for (let visit = waiting.at(-1); visit; visit = waiting.at(-1)) {
      const path = this.#importsOf(visit.source)[visit.next++];
      const source = path === undefined ? undefined : this.sources.get(path);
      if (source && !entered.has(source.path)) {
        entered.add(source.path);
        waiting.push({ source, next: 0 });
      } else if (path === undefined) {
        found.add(visit.source);
        waiting.pop();
      }
    }
    return [...found];
  }

  /** Each once, however often a source says it: every entry that reaches the source asks. */
  #importsOf(source: Source): readonly string[] {
    const known = this.#imports.get(source) ?? [...new Set(source.requests.map(({ path }) => path))];
    this.#imports.set(source, known);
    return known;
  }

  #visit(entry: string): void {
    // Behind the bounds nothing more is read: files may be many, and long.
    const read = this.#isFull ? "" : this.#open(entry);
    if (read === undefined || typeof read === "object") {
      this.absent.set(entry, read);
      return;
    }
    const first = this.#add(entry, read);
    const open = new Set([entry]);
    const waiting: Visit[] = first ? [{ source: first, next: 0 }] : [];
    for (let visit = waiting.at(-1); visit; visit = waiting.at(-1)) {
      const request = visit.source.requests[visit.next++];
      if (!request) {
        open.delete(visit.source.path);
        waiting.pop();
        continue;
      }
      const next = this.#follow(visit.source, request, open);
      if (!next) continue;
      open.add(next.path);
      waiting.push({ source: next, next: 0 });
    }
  }

  /** The source that a request names, where it has to be looked into. */
  #follow(source: Source, request: Request, open: ReadonlySet<string>): Source | null {
    const fault = specifierFault(request.specifier);
    if (fault) return this.#fault(source, request, fault);
    const { path } = request;
    if (open.has(path)) return this.#fault(source, request, cycle(request.specifier));
    if (this.sources.has(path) || this.#isFull) return null;
    const text = this.#open(path);
    if (typeof text === "string") return this.#add(path, text, { source, request });
    if (text) return this.#fault(source, request, text);
    const message = `There is no file ${quoted(request.specifier)}.`;
    return this.#fault(source, request, { code: "WOML_MODULE_FILE_NOT_FOUND", message, hint: "Correct the path, or add the file." });
  }

  #open(path: string): string | Absent | undefined {
    if (!this.#opened.has(path)) this.#opened.set(path, this.#read(path));
    return this.#opened.get(path);
  }

  #add(path: string, text: string, from?: { readonly source: Source; readonly request: Request }): Source | null {
    if (this.#done.has(path)) return null;
    this.#done.add(path);
    this.#bytes += utf8ToBytes(text).length;
    const over = this.#over();
    if (over) {
      this.#isFull = true;
      if (from) this.#fault(from.source, from.request, over);
      else this.faults.set(path, [{ ...over, start: 0, end: 1 }]);
      if (from) return null;
    }
    const source = over ? { ...readSource(path, "", false), original: text } : readSource(path, text, this.#entries.has(path));
    this.sources.set(path, source);
    if (source.faults.length > 0) this.faults.set(path, [...source.faults]);
    return source;
  }

  #over(): Pick<Fault, "code" | "message" | "hint"> | null {
    const hint = "Name fewer modules in one document, or shorter ones.";
    if (this.#done.size > GRAPH_LIMIT) {
      const message = `The modules of a document have at most ${GRAPH_LIMIT} sources.`;
      return { code: "WOML_MODULE_GRAPH_LIMIT_EXCEEDED", message, hint };
    }
    if (this.#bytes <= SOURCES_LIMIT) return null;
    const message = `The sources of a document's modules are longer than ${SOURCES_LIMIT / 1_048_576} MiB.`;
    return { code: "WOML_MODULE_SIZE_LIMIT_EXCEEDED", message, hint };
  }

  #fault(source: Source, { from, to }: Request, { code, message, hint }: Pick<Fault, "code" | "message" | "hint">): null {
    const faults = this.faults.get(source.path) ?? [];
    faults.push({ code, message, hint, start: from, end: to });
    this.faults.set(source.path, faults);
    return null;
  }
}

const cycle = (specifier: string): Pick<Fault, "code" | "message" | "hint"> => ({
  code: "WOML_MODULE_GRAPH_CYCLE",
  message: `${quoted(specifier)} imports this module in turn.`,
  hint: "Move what both need into a module of its own.",
});
