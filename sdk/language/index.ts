export { CODES, type Code } from "./codes.ts";
export { type Compiled, compile, type Diagnosed, diagnose, type SourceMap, type Spans } from "./compile.ts";
export type { Diagnostic, Position, Span } from "./diagnostic.ts";
export { type Outline, outline, type ReadFile } from "./outline.ts";
export type { Absent, Bundle, Project } from "./project.ts";
export { SOURCE_LIMIT, type Source } from "./reader.ts";
export { render } from "./render.ts";
export { schemaFaults } from "./schema/judge.ts";
