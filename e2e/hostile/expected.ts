import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { OutcomeName } from "@woml/sandbox";

/** The class that an outcome belongs to in `expected.tsv`; one without a class is never allowed. */
export const CLASSES: Readonly<Partial<Record<OutcomeName, string>>> = {
  ok: "ok",
  ...{ script_threw: "error", script_syntax: "error", invalid_result: "error" },
  ...{ cpu_exceeded: "cpu", wall_exceeded: "wall", memory_exceeded: "oom" },
  ...{ result_too_large: "too_large", worker_crashed: "host_crash" },
};

/** `expected.tsv` of a folder: the allowed classes by script name; undefined when the folder has none. */
export function readExpected(folder: string): ReadonlyMap<string, readonly string[]> | undefined {
  const path = join(folder, "expected.tsv");
  if (!existsSync(path)) return undefined;
  const [, ...lines] = readFileSync(path, "utf8").trimEnd().split("\n");
  return new Map(
    lines.map((line) => {
      const [name = "", , allowed = ""] = line.split("\t");
      return [name, allowed.trim().split("|")];
    }),
  );
}
