// What the language says of each document of a folder.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { compile, type Diagnostic, type Position } from "@woml/language";
import { projectOf } from "./project.ts";

export type Profile = "1.0";
/**
 * `codes`: of its errors, each once, in the order of their places. `start`: where the first of them begins. A document at which the compiler
 * throws is neither valid nor invalid; `thrown` says what it threw.
 */
export interface Judged {
  readonly file: string;
  readonly verdict: "valid" | "invalid" | "thrown";
  readonly codes: readonly string[];
  readonly start: Position | null;
  readonly warnings: readonly string[];
  readonly thrown?: string;
}

/** The direct `.woml` children of `folder`, sorted by name. */
export const documentsOf = (folder: string): readonly string[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith(".woml"))
    .sort();

export function judge(folder: string, file: string, profile?: Profile): Judged {
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(readFileSync(join(folder, file)));
  const project = projectOf(folder, { path: file, text });
  try {
    return judgedAs(file, compile({ path: file, text }, profile ? { ...project, profile } : project).diagnostics);
  } catch (error) {
    return { file, verdict: "thrown", codes: [], start: null, warnings: [], thrown: String(error) };
  }
}

function judgedAs(file: string, diagnostics: readonly Diagnostic[]): Judged {
  const [errors, warnings] = [diagnostics.filter(isError), diagnostics.filter((one) => !isError(one))];
  return {
    file,
    verdict: errors.length === 0 ? "valid" : "invalid",
    codes: codesOf(errors),
    start: errors[0]?.start ?? null,
    warnings: codesOf(warnings),
  };
}

const isError = ({ severity }: Diagnostic): boolean => severity === "error";
const codesOf = (diagnostics: readonly Diagnostic[]): readonly string[] => [...new Set(diagnostics.map(({ code }) => code))];
