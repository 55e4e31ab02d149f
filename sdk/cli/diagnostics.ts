import { type Diagnostic, render } from "@woml/language";
import { escaped } from "./plain.ts";
import type { SourceFile } from "./source.ts";
import { counted } from "./terminal.ts";

/** Exactly the fields that programs may rely on, in this order. */
export function listed(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  return diagnostics.map(({ file, code, severity, message, hint, start, end }) => ({ file, code, severity, message, hint, start, end }));
}

export const hasError = (diagnostics: readonly Diagnostic[]): boolean => diagnostics.some(({ severity }) => severity === "error");

/** For people: each with its code frame. */
export function explained(diagnostics: readonly Diagnostic[], sources: readonly Pick<SourceFile, "path" | "text">[]): readonly string[] {
  const texts = new Map(sources.map(({ path, text }) => [path, text]));
  return diagnostics.map((diagnostic) => escaped(render(diagnostic, texts.get(diagnostic.file) ?? "")));
}

/** `3 files: 2 errors, 1 warning`. */
export function summary(files: number, diagnostics: readonly Diagnostic[]): string {
  const errors = diagnostics.filter(({ severity }) => severity === "error").length;
  const parts = [counted(errors, "error"), counted(diagnostics.length - errors, "warning")].filter((part) => !part.startsWith("0 "));
  return `${counted(files, "file")}: ${parts.length > 0 ? parts.join(", ") : "no errors"}`;
}
