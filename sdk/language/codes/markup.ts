/** Public: a code is never given another meaning. */
export const MARKUP_CODES = {
  WOML_SOURCE_TOO_LARGE: "The source is longer than 1 MiB of UTF-8.",
  WOML_SOURCE_CHARACTER_INVALID: "The source holds U+0000 or half of a surrogate pair.",
  WOML_NESTING_TOO_DEEP: "Elements are nested more than 200 deep.",
  WOML_TOO_MANY_ELEMENTS: "The source has more elements than the largest definition needs.",
  WOML_TOO_MANY_DIAGNOSTICS: "More is wrong than one answer shows.",
  WOML_MALFORMED_MARKUP: "The tags do not form one tree: mismatched, unclosed, stray, a bare & in text, or text outside the root.",
  WOML_MULTIPLE_ROOTS: "A second root element closes itself, or follows one that does.",
  WOML_TEXT_OUTSIDE_ROOT: "Text follows a root element that closes itself.",
  WOML_UNCLOSED_RAW_BODY: "No literal </script> follows a <script> tag.",
  WOML_DECLARATION_NOT_ALLOWED: "XML declaration, doctype, CDATA or processing instruction outside a script.",
  WOML_DUPLICATE_ATTRIBUTE: "One tag names an attribute twice.",
  WOML_INVALID_ATTRIBUTE:
    "An attribute without value, without quotes, with an impossible name, or a tag that begins before the last has ended.",
} as const;
