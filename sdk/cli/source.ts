import { isUtf8 } from "node:buffer";
import { readdirSync, readFileSync, type Stats, statSync } from "node:fs";
import { join } from "node:path";
import { type Ending, usage } from "./exit.ts";
import { fromHere } from "./path.ts";

/** A source as the person named it. `text` is what stands in the file; bytes that are not UTF-8 read as U+FFFD, and `utf8` is false. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
  readonly utf8: boolean;
}

/** Files as given, and the direct `*.woml` children of directories; each once, sorted by name inside a directory. */
export function gather(paths: readonly string[]): readonly SourceFile[] {
  const found = new Map<string, SourceFile>();
  for (const path of paths.flatMap((given) => (statOf(given).isDirectory() ? childrenOf(given) : [given]))) {
    const at = fromHere(path);
    if (!found.has(at)) found.set(at, readSource(path));
  }
  return [...found.values()];
}

export function readSource(path: string): SourceFile {
  if (!path.endsWith(".woml")) throw usage(`${path} does not end with .woml.`, "WOML_INVALID_FILE_EXTENSION");
  const bytes = readBytes(path);
  return { path, text: new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes), utf8: isUtf8(bytes) };
}

/** The text of a file. Bytes that are not UTF-8 read as U+FFFD. */
export function readText(path: string): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(readBytes(path));
}

function readBytes(path: string): Uint8Array {
  if (!statOf(path).isFile()) throw usage(`${path} is not a file.`, "WOML_NOT_A_FILE");
  try {
    return readFileSync(fromHere(path));
  } catch (error) {
    throw unreadable(path, error);
  }
}

function childrenOf(path: string): readonly string[] {
  let names: readonly string[];
  try {
    const entries = readdirSync(fromHere(path), { withFileTypes: true });
    names = entries.filter((entry) => entry.name.endsWith(".woml") && !entry.isDirectory()).map((entry) => entry.name);
  } catch (error) {
    throw unreadable(path, error);
  }
  if (names.length === 0) throw usage(`${path} holds no .woml file.`, "WOML_WORKFLOW_DIRECTORY_EMPTY");
  return names.toSorted().map((name) => join(path, name));
}

function statOf(path: string): Stats {
  try {
    return statSync(fromHere(path));
  } catch (error) {
    throw unreadable(path, error);
  }
}

function unreadable(path: string, error: unknown): Ending {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if (code === "ENOENT" || code === "ENOTDIR") return usage(`${path} is not there.`, "WOML_FILE_NOT_FOUND");
  return usage(`${path} cannot be read (${code || String(error)}).`, "WOML_FILE_UNREADABLE");
}
