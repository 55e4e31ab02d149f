import { isUtf8 } from "node:buffer";
import { existsSync, readFileSync, realpathSync, type Stats, statSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { type Absent, outline, type Project, type ReadFile } from "@woml/language";
import { fromHere } from "./path.ts";

/** No file that a document may import is longer: sources of its modules have 16 MiB together. */
const LARGEST_BYTES = 16_777_216;
/** The nearest folder above a document that holds one of these is that of its project. */
const MARKS = [".git", "package.json"];

export interface File {
  readonly path: string;
  readonly text: string;
}
/** What a document imports, read from disk; `files` are all texts of it. */
export interface Surroundings {
  readonly project: Project;
  readonly files: readonly File[];
}

/** Of a document that imports nothing. */
export const ALONE: Surroundings = { project: { files: new Map(), modules: new Map() }, files: [] };

export async function surroundings(source: File): Promise<Surroundings> {
  if (!source.text.includes("<imports")) return ALONE;
  const texts = new Map<string, string>();
  const read = reader(source.path, texts);
  const { files, modules } = outline(source, read);
  // Only here: a workflow without modules shall not wait for what bundles them.
  const bundled = modules.length > 0 ? (await import("@woml/modules")).bundle(modules, read) : new Map();
  return { project: { files, modules: bundled }, files: [...texts].map(([path, text]) => ({ path, text })) };
}

/** Reads the files of the project in which a document stands, by paths as they follow from how the document was named, into `texts`. */
function reader(document: string, texts: Map<string, string>): ReadFile {
  const root = projectFolder(dirname(fromHere(document)));
  const spelled = new Map<string, string>();
  return (path) => {
    const at = fromHere(path);
    if (!isWithin(root, at)) return escaping(path);
    const found = statOf(at);
    if (found === null) return undefined;
    const known = spelled.get(at.toLowerCase()) ?? at;
    spelled.set(at.toLowerCase(), known);
    if (known !== at) return collision(relative(root, known), relative(root, at));
    const text = textOf(at, root, found);
    if (typeof text === "string") texts.set(path, text);
    return text;
  };
}

function projectFolder(from: string): string {
  for (let folder = from; ; folder = dirname(folder)) {
    if (MARKS.some((name) => existsSync(join(folder, name)))) return folder;
    if (dirname(folder) === folder) return from;
  }
}

function isWithin(root: string, at: string): boolean {
  const way = relative(root, at);
  return way !== ".." && !way.startsWith(`..${sep}`);
}

/** null where there is nothing; a code of the system where that cannot be told. */
function statOf(at: string): Stats | string | null {
  try {
    return statSync(at);
  } catch (error) {
    const code = codeOf(error);
    return code === "ENOENT" || code === "ENOTDIR" ? null : code;
  }
}

function textOf(at: string, root: string, found: Stats | string): string | Absent {
  if (typeof found === "string") return unreadable(`It cannot be read (${found}).`);
  try {
    if (!isWithin(realpathSync(root), realpathSync(at))) return ESCAPING_LINK;
    if (!found.isFile()) return unreadable("It is not a file.");
    if (found.size > LARGEST_BYTES) return TOO_LARGE;
    const bytes = readFileSync(at);
    return isUtf8(bytes) ? new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes) : unreadable("It is not UTF-8 text.");
  } catch (error) {
    return unreadable(`It cannot be read (${codeOf(error)}).`);
  }
}

const codeOf = (error: unknown): string => (error instanceof Error && "code" in error ? String(error.code) : String(error));

const unreadable = (message: string): Absent => ({
  code: "WOML_MODULE_FILE_NOT_READABLE",
  message,
  hint: "An import is a file of UTF-8 text that you may read.",
});

function escaping(path: string): Absent {
  const code = path.endsWith(".woml") ? "WOML_MODULE_PROJECT_BOUNDARY" : "WOML_MODULE_PATH_ESCAPE";
  const message = "This path leads out of the project.";
  return {
    code,
    message,
    hint: "A project is the nearest folder with a .git or a package.json, or the document's own folder: move the file into it.",
  };
}

const collision = (known: string, other: string): Absent => ({
  code: "WOML_MODULE_PATH_CASE_COLLISION",
  message: `${other} and ${known} differ in upper and lower case alone, which are one file on some machines.`,
  hint: "Write the path as the file is called, or rename one of them.",
});

const ESCAPING_LINK: Absent = {
  code: "WOML_MODULE_SYMLINK_ESCAPE",
  message: "This file is a symbolic link that leads out of the project.",
  hint: "Copy the file into the project.",
};
const TOO_LARGE: Absent = {
  code: "WOML_MODULE_SIZE_LIMIT_EXCEEDED",
  message: `The file is longer than ${LARGEST_BYTES / 1_048_576} MiB.`,
  hint: "Split it.",
};
