import { readFileSync } from "node:fs";

export function run(path: string): string {
  return readFileSync(path, "utf8");
}
