export type { Compiled, Source, SourceMap } from "./compile.ts";
export type { Diagnostic, Position, Span } from "./diagnostic.ts";
