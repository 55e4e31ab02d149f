export { CODES, type Code } from "./codes.ts";
export { type Compiled, compile, SOURCE_LIMIT, type Source, type SourceMap, type Spans } from "./compile.ts";
export type { Diagnostic, Position, Span } from "./diagnostic.ts";
export { render } from "./render.ts";
