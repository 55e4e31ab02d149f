import { isUtf8 } from "node:buffer";
import { readdirSync, readFileSync, realpathSync, type Stats, statSync } from "node:fs";
import { join } from "node:path";
import { type Ending, usage } from "./exit.ts";
import { fromHere } from "./path.ts";

/** More than any file is allowed that the command line reads. */
const LARGEST_MIB = 64;

/** A source as the person named it. `text` is what stands in the file; bytes that are not UTF-8 read as U+FFFD, the first at `brokenAt`. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
  readonly brokenAt: number | null;
  /** The directory in which it was found, when that was named and not the file. */
  readonly folder?: string;
}

/** Files as given, and the direct `*.woml` children of directories; each once, by whatever names, sorted by name inside a directory. */
export function gather(paths: readonly string[]): readonly SourceFile[] {
  const found = new Map<string, SourceFile>();
  for (const given of paths) {
    const isFolder = statOf(given).isDirectory();
    for (const path of isFolder ? childrenOf(given) : [given]) {
      const at = itself(path);
      if (!found.has(at)) found.set(at, { ...readSource(path), ...(isFolder && { folder: given }) });
    }
  }
  return [...found.values()];
}

/** Where the file is, whichever links or spellings lead to it. */
function itself(path: string): string {
  try {
    return realpathSync.native(fromHere(path));
  } catch (error) {
    throw unreadable(path, error);
  }
}

export function readSource(path: string): SourceFile {
  if (!path.endsWith(".woml")) throw usage(`${path} does not end with .woml.`, "WOML_INVALID_FILE_EXTENSION");
  const bytes = readBytes(path);
  const text = decoded(bytes);
  return { path, text, brokenAt: isUtf8(bytes) ? null : firstBroken(text, bytes) };
}

/** The first U+FFFD that does not stand in the file itself. */
function firstBroken(text: string, bytes: Uint8Array): number {
  let [at, byte] = [0, 0];
  for (let next = text.indexOf("\uFFFD"); next >= 0; next = text.indexOf("\uFFFD", next + 1)) {
    byte += Buffer.byteLength(text.slice(at, next));
    at = next;
    if (bytes[byte] !== 0xef || bytes[byte + 1] !== 0xbf || bytes[byte + 2] !== 0xbd) break;
  }
  return at;
}

/** The text of a file that is not a source. Bytes that are not UTF-8 would become something else, so such a file is refused. */
export function readText(path: string): string {
  const bytes = readBytes(path);
  if (!isUtf8(bytes)) throw usage(`${path} is not UTF-8 text.`, "WOML_FILE_UNREADABLE");
  return decoded(bytes);
}

export const isFile = (path: string): boolean => statSync(fromHere(path), { throwIfNoEntry: false })?.isFile() ?? false;

const decoded = (bytes: Uint8Array): string => new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);

function readBytes(path: string): Uint8Array {
  const found = statOf(path);
  if (!found.isFile()) throw usage(`${path} is not a file.`, "WOML_NOT_A_FILE");
  if (found.size > LARGEST_MIB * 1_048_576) throw usage(`${path} is larger than ${LARGEST_MIB} MiB.`, "WOML_FILE_UNREADABLE");
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
  const at = fromHere(path);
  try {
    return statSync(at);
  } catch (error) {
    throw unreadable(path, error);
  }
}

function unreadable(path: string, error: unknown): Ending {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if (code === "ENOENT" || code === "ENOTDIR") return usage(`${path} is not there.`, "WOML_FILE_NOT_FOUND");
  return usage(`${path} cannot be read (${code || String(error)}).`, "WOML_FILE_UNREADABLE");
}
