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

function textAt(path: string): string | Absent | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : String(error);
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    return { code: "WOML_MODULE_FILE_NOT_READABLE", message: `It cannot be read (${code}).`, hint: "Name a file." };
  }
}

const outside = (path: string): Absent => ({
  code: path.endsWith(".woml") ? "WOML_MODULE_PROJECT_BOUNDARY" : "WOML_MODULE_PATH_ESCAPE",
  message: "This path leads out of the folder.",
  hint: "Move the file into it.",
});
