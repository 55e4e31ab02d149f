/** Every code of this room that no other room answers, and what it means. Public: a code is never given another meaning. */
export const CODES = {
  WOML_MODULE_EXTENSION_UNSUPPORTED: "A module imports a file that is neither .js nor .ts.",
  WOML_MODULE_GRAPH_CYCLE: "Modules import each other in a circle.",
  WOML_MODULE_SYNTAX_INVALID: "A module cannot be parsed.",
  WOML_MODULE_IMPORT_EXTENSION_REQUIRED: "A module imports a file without saying its extension.",
  WOML_MODULE_IMPORT_UNSUPPORTED: "A module imports in a form that is not supported.",
  WOML_MODULE_PACKAGE_IMPORT_UNAVAILABLE: "A module imports a package.",
  WOML_MODULE_DYNAMIC_IMPORT_UNSUPPORTED: "A module calls import().",
  WOML_MODULE_COMMONJS_UNSUPPORTED: "A module is written as CommonJS: it uses require or module.exports.",
  WOML_MODULE_DEFAULT_EXPORT_UNSUPPORTED: "A module has a default export.",
  WOML_MODULE_EXPORT_UNSUPPORTED: "A module exports something other than a function that it declares.",
  WOML_MODULE_GENERATOR_EXPORT_UNSUPPORTED: "A module exports a generator function.",
  WOML_MODULE_EXPORTS_EMPTY: "A module exports no function.",
  WOML_MODULE_BUILD_FAILED: "A module imports a name that the other does not export.",
} as const;

/** What a diagnostic of this room says: its own codes, and those of the language that files and bounds have wherever they are met. */
export type Code =
  | keyof typeof CODES
  | "WOML_MODULE_FILE_NOT_FOUND"
  | "WOML_MODULE_GRAPH_LIMIT_EXCEEDED"
  | "WOML_MODULE_SIZE_LIMIT_EXCEEDED";
