import { DOCUMENT_CODES } from "./codes/document.ts";
import { FLOW_CODES } from "./codes/flow.ts";
import { IMPORT_CODES } from "./codes/import.ts";
import { MARKUP_CODES } from "./codes/markup.ts";
import { NOTICE_CODES } from "./codes/notice.ts";
import { SCRIPT_CODES } from "./codes/script.ts";
import { SEND_CODES } from "./codes/send.ts";
import { TRIGGER_CODES } from "./codes/trigger.ts";

export type Code =
  | keyof typeof DOCUMENT_CODES
  | keyof typeof FLOW_CODES
  | keyof typeof IMPORT_CODES
  | keyof typeof MARKUP_CODES
  | keyof typeof NOTICE_CODES
  | keyof typeof SCRIPT_CODES
  | keyof typeof SEND_CODES
  | keyof typeof TRIGGER_CODES;

/** Every code this room answers and what it means. Public: a code is never given another meaning. */
export const CODES: Readonly<Record<Code, string>> = {
  ...DOCUMENT_CODES,
  ...FLOW_CODES,
  ...IMPORT_CODES,
  ...MARKUP_CODES,
  ...NOTICE_CODES,
  ...SCRIPT_CODES,
  ...SEND_CODES,
  ...TRIGGER_CODES,
};

const LIMITS: ReadonlySet<string> = new Set<Code>(["WOML_TOO_MANY_NODES", "WOML_DEFINITION_TOO_LARGE"]);

/** Bounds of a definition, which is judged after the source. */
export const isLimit = (code: string): code is Code => LIMITS.has(code);

const OWN: ReadonlySet<string> = new Set<Code>([
  "WOML_DEFINITION_TOO_LARGE",
  "WOML_METADATA_TOO_LONG",
  "WOML_NESTING_TOO_DEEP",
  "WOML_OPERATION_UNKNOWN",
  "WOML_SCHEMA_PATTERN_UNSUPPORTED",
  "WOML_SCRIPT_SOURCE_TOO_LARGE",
  "WOML_SCRIPT_TOO_COMPLEX",
  "WOML_SOURCE_CHARACTER_INVALID",
  "WOML_SOURCE_TOO_LARGE",
  "WOML_TOO_MANY_ELEMENTS",
  "WOML_TOO_MANY_NODES",
]);

/** Bounds and rules of this platform's own: WOML 1.0 has no such code, and takes what they refuse. */
export const isOwn = (code: string): boolean => OWN.has(code);

/** Whether a text from elsewhere is one of this room's codes. */
export const isCode = (text: string): text is Code => Object.hasOwn(CODES, text);
