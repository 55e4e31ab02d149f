import { isCode } from "./codes.ts";
import type { Remark } from "./diagnostic.ts";
import type { Defines, ReusableDefinition } from "./document.ts";
import type { Absent, Project } from "./project.ts";
import { bytesOf, overrun, quoted } from "./source.ts";

/** Most documents that one may import, by whatever way. */
const MOST_DOCUMENTS = 512;
/** Bytes of UTF-8 of all of them together. */
const MOST_BYTES = 16_777_216;
/** Most documents of which each imports the next. */
const LONGEST_CHAIN = 64;

/** What an import has brought: a definition; why there is none; or neither, when the document itself says what is wrong with it. */
export type Taken = { readonly definition: ReusableDefinition } | { readonly fault: Remark } | { readonly fault: null };

interface Reading {
  readonly path: string;
  readonly defines: Defines;
}
/** Reads the document at a path. */
export type ReadAt = (path: string, text: string) => Taken;

/**
 * The documents around one, each read once. It follows imports no further than its bounds, so that what stands in a project costs no
 * more than what is read of it.
 */
export class Library {
  readonly project: Project;
  readonly #taken = new Map<string, Taken>();
  readonly #chain: Reading[] = [];
  #bytes = 0;

  constructor(project: Project) {
    this.project = project;
  }

  /** Whatever `read` imports is imported by the document at `path`. */
  within<T>(reading: Reading, read: () => T): T {
    this.#chain.push(reading);
    const answer = read();
    this.#chain.pop();
    return answer;
  }

  take(path: string, read: ReadAt): Taken {
    const above = this.#chain.find((reading) => reading.path === path);
    if (above) return { fault: above.defines === "workflow" ? WORKFLOW : CYCLE };
    const known = this.#taken.get(path);
    if (known) return known;
    const file = this.project.files.get(path);
    const fault = this.#refusal(path, file);
    if (fault || typeof file !== "string") return { fault: fault ?? missing(path) };
    this.#bytes += bytesOf(file);
    this.#taken.set(path, { fault: null });
    const taken = read(path, file);
    this.#taken.set(path, taken);
    return taken;
  }

  #refusal(path: string, file: string | Absent | undefined): Remark | null {
    if (file === undefined) return missing(path);
    if (typeof file !== "string") return absent(path, file);
    if (this.#chain.length > LONGEST_CHAIN) return CHAIN;
    if (this.#taken.size >= MOST_DOCUMENTS) return DOCUMENTS;
    return overrun(file, MOST_BYTES - this.#bytes) === null ? null : BYTES;
  }
}

const missing = (path: string): Remark => ({
  code: "WOML_REUSABLE_SOURCE_NOT_FOUND",
  message: `There is no file ${quoted(path)}.`,
  hint: "Correct the path: it is taken from the folder of this document.",
});

const absent = (path: string, { code, message, hint }: Absent): Remark => ({
  ...missing(path),
  ...(isCode(code) && { code }),
  message,
  hint,
});

export const WORKFLOW: Remark = {
  code: "WOML_REUSABLE_WORKFLOW_IMPORT_FORBIDDEN",
  message: "This document defines a workflow, which cannot be imported.",
  hint: "Import a reusable step or provider. A script starts another workflow with services.workflows.",
};
const CYCLE: Remark = {
  code: "WOML_REUSABLE_IMPORT_CYCLE",
  message: "This document is imported by itself, directly or through others.",
  hint: "Move what both need into a third document.",
};
const CHAIN: Remark = {
  code: "WOML_MODULE_GRAPH_LIMIT_EXCEEDED",
  message: `More than ${LONGEST_CHAIN} documents import one another in a row.`,
  hint: "Import it from a document nearer to the workflow.",
};
const DOCUMENTS: Remark = {
  code: "WOML_MODULE_GRAPH_LIMIT_EXCEEDED",
  message: `More than ${MOST_DOCUMENTS} documents are imported.`,
  hint: "Split the workflow.",
};
const BYTES: Remark = {
  code: "WOML_MODULE_SIZE_LIMIT_EXCEEDED",
  message: `The imported documents are longer than ${MOST_BYTES} bytes together.`,
  hint: "Split the workflow.",
};
