// The project of a document: whatever stands beside it in its folder.
import { readdirSync, readFileSync } from "node:fs";
import { join, sep } from "node:path";
import type { Project, Source } from "@woml/language";

export function projectOf(folder: string, _source: Source): Promise<Project> {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".woml"));
  const read = files.map((name) => [name.split(sep).join("/"), readFileSync(join(folder, name), "utf8")] as const);
  return Promise.resolve({ files: new Map(read), modules: new Map() });
}
