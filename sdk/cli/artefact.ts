import { stripTypeScriptTypes } from "node:module";
import { basename, join } from "node:path";
import type { SubmitPluginInput } from "@woml/client";
import type { Json } from "@woml/model";
import { Ending, EXIT, usage } from "./exit.ts";
import { isFile, readText } from "./source.ts";

/** Where a plugin is found: a folder, or its two files. */
export interface PluginFiles {
  readonly manifest?: string;
  readonly artefact?: string;
}
const LARGEST_MIB = 20;
const ENTRIES = ["plugin.ts", "plugin.js"];

/** The plugin as it is handed in: its manifest, and its one file as an ES module without types. */
export function readPlugin(folder: string | undefined, { manifest, artefact }: PluginFiles): SubmitPluginInput {
  if (folder !== undefined && (manifest !== undefined || artefact !== undefined))
    throw usage("Give a folder, or --manifest and --artefact, not both.");
  if (folder === undefined && (manifest === undefined || artefact === undefined))
    throw usage("Give a folder, or --manifest and --artefact.");
  const from = manifest ?? join(folder ?? "", "manifest.json");
  return { manifest: parsed(from), artefact: moduleIn(artefact ?? entryIn(folder ?? "")) };
}

function entryIn(folder: string): string {
  const found = ENTRIES.map((name) => join(folder, name)).find(isFile);
  if (found !== undefined) return found;
  throw usage(`${folder} holds neither ${ENTRIES.join(" nor ")}.`, "WOML_FILE_NOT_FOUND");
}

function parsed(path: string): Json {
  try {
    return JSON.parse(readText(path));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw usage(`${path} is not JSON: ${error.message}.`, "WOML_PLUGIN_MANIFEST_INVALID");
  }
}

function moduleIn(path: string): string {
  const text = stripped(path, readText(path));
  if (Buffer.byteLength(text) <= LARGEST_MIB * 1_048_576) return text;
  throw new Ending(EXIT.invalid, "WOML_PLUGIN_ARTEFACT_INVALID", `${path} is larger than ${LARGEST_MIB} MiB.`);
}

/** Lines and columns stay, so that a stack names those of the file. */
function stripped(path: string, text: string): string {
  if (!/\.m?ts$/.test(path)) return text;
  try {
    return stripTypeScriptTypes(text, { mode: "strip" });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Ending(EXIT.invalid, "WOML_PLUGIN_ARTEFACT_INVALID", `The types of ${basename(path)} cannot be taken out: ${why}`);
  }
}
