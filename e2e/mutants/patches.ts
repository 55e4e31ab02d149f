// A patch begins with lines `# suite: PATH…`, perhaps `# test: PATTERN` (of the names of its tests), and `# breaks: what`; git apply
// ignores them.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

export interface Mutant {
  readonly name: string;
  readonly file: string;
  /** Paths from the root, one or more. */
  readonly suites: readonly string[];
  /** Empty: all of them. */
  readonly test: string;
  readonly breaks: string;
}

/** All there are, by name. */
export function mutants(): readonly Mutant[] {
  const files = readdirSync(import.meta.dirname).filter((file) => file.endsWith(".patch"));
  return files.sort().map((file) => {
    const text = readFileSync(join(import.meta.dirname, file), "utf8");
    const line = (word: string): string => new RegExp(`^# ${word}: (.+)$`, "m").exec(text)?.[1] ?? "";
    const suites = line("suite").split(" ");
    return { name: file.replace(".patch", ""), file: join(import.meta.dirname, file), suites, test: line("test"), breaks: line("breaks") };
  });
}
