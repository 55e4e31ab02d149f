// The project of a document: whatever stands beside it in its folder, and nothing above that.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Absent, outline, type Project, type Source } from "@woml/language";
import { bundle } from "@woml/modules";

export function projectOf(folder: string, source: Source): Project {
  const read = (path: string): string | Absent | undefined => (path.startsWith("..") ? outside(path) : textAt(join(folder, path)));
  const { files, modules } = outline(source, read);
  return { files, modules: bundle(modules, read) };
}

function textAt(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}

const outside = (path: string): Absent => ({
  code: path.endsWith(".woml") ? "WOML_MODULE_PROJECT_BOUNDARY" : "WOML_MODULE_PATH_ESCAPE",
  message: "This path leads out of the folder.",
  hint: "Move the file into it.",
});
