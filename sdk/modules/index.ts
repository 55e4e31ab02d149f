export { bundle } from "./bundle.ts";
export { MODULE_CODES, type ModuleCode } from "./codes.ts";
export type { Absent, Bundle, Diagnostic, Position, Read } from "./diagnostic.ts";
export { GRAPH_LIMIT, SOURCES_LIMIT } from "./graph.ts";
