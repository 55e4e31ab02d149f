// The documents that others are made of, with all that they import, read once.
import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { compile, type Project } from "@woml/language";
import { documentsOf } from "../judge.ts";
import { projectOf } from "../project.ts";
import { type Words, wordsIn } from "./words.ts";

const E2E = join(import.meta.dirname, "..", "..");
/** A longer one is an exercise in size. */
const LONGEST = 32_768;

/** The texts of a folder, and whatever any of them imports. */
export interface Folder extends Project {
  readonly valid: readonly string[];
  readonly invalid: readonly string[];
  /** Of modules, by path. */
  readonly sources: ReadonlyMap<string, string>;
}

/** The corpus of the language, and the documents of its codes. */
export const FOLDERS: readonly [Folder, ...Folder[]] = [
  readFolder(join(E2E, "conformance", "documents")),
  readFolder(join(E2E, "errors", "documents")),
];
/** What the documents of all folders are written with. */
export const WORDS: Words = wordsIn(FOLDERS.flatMap(({ valid, invalid }) => [...valid, ...invalid]));

function readFolder(folder: string): Folder {
  const documents = documentsOf(folder).map((path) => {
    const source = { path, text: readFileSync(join(folder, path), "utf8") };
    return { ...source, project: projectOf(folder, source) };
  });
  const short = Map.groupBy(
    documents.filter(({ text }) => text.length <= LONGEST),
    ({ project, ...source }) => compile(source, project).definition !== null,
  );
  const textsOf = (isValid: boolean): readonly string[] => (short.get(isValid) ?? []).map(({ text }) => text);
  return {
    valid: textsOf(true),
    invalid: textsOf(false),
    sources: new Map(modulesOf(folder).map((path) => [path, readFileSync(join(folder, path), "utf8")])),
    files: new Map(documents.flatMap(({ project }) => [...project.files])),
    modules: new Map(documents.flatMap(({ project }) => [...project.modules])),
  };
}

function modulesOf(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(?:ts|js)$/.test(entry.name))
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)));
}
