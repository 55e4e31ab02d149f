export { bundle } from "./bundle.ts";
export { CODES, type Code } from "./codes.ts";
export type { Absent, Bundle, Diagnostic, Position, Read } from "./diagnostic.ts";
export { GRAPH_LIMIT, SOURCES_LIMIT } from "./graph.ts";
