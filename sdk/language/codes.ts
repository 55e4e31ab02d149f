/** Every code this room answers and what it means. Public: a code is never given another meaning. */
export const CODES = {
  // Source and markup
  WOML_SOURCE_TOO_LARGE: "The source is longer than 1 MiB of UTF-8.",
  WOML_SOURCE_CHARACTER_INVALID: "The source holds U+0000 or half of a surrogate pair.",
  WOML_MALFORMED_MARKUP: "The tags do not form one tree: mismatched, unclosed, stray, or text outside the root.",
  WOML_UNCLOSED_RAW_BODY: "No literal </script> follows a <script> tag.",
  WOML_DECLARATION_NOT_ALLOWED: "XML declaration, doctype, CDATA or processing instruction outside a script.",
  WOML_DUPLICATE_ATTRIBUTE: "One tag names an attribute twice.",
  WOML_INVALID_ATTRIBUTE: "An attribute without value, without quotes, or with an impossible name.",
  WOML_NESTING_TOO_DEEP: "Elements are nested more than 200 deep.",
  WOML_TOO_MANY_ELEMENTS: "The source has more elements than the largest definition needs.",
  WOML_TOO_MANY_DIAGNOSTICS: "More is wrong than one answer shows.",
  // Document
  WOML_EXPECTED_DOCUMENT_ROOT: "The root element is not <woml>.",
  WOML_DOCUMENT_PROFILE_INVALID: "A document holds definitions of several kinds.",
  WOML_DOCUMENT_STRUCTURE_INVALID: "Children of <woml> are missing, repeated or foreign.",
  WOML_PROPS_WORKFLOW_FORBIDDEN: "<props> stands in a workflow document.",
  WOML_FEATURE_NOT_EXECUTABLE: "A part of WOML 1.0 that this version does not run yet.",
  WOML_UNKNOWN_ELEMENT: "The element is not part of the language.",
  WOML_UNKNOWN_ATTRIBUTE: "The attribute is not allowed on this element.",
  WOML_MISSING_ATTRIBUTE: "A required attribute is absent.",
  WOML_UNEXPECTED_CONTENT: "Text stands where only elements may stand.",
  WOML_INVALID_STRUCTURE: "A child is not permitted here, or one is missing.",
  WOML_SECRET_SINK_UNSUPPORTED: "A secret is named where none may be.",
  // Workflow
  WOML_EMPTY_METADATA: "A name, description or version is blank.",
  WOML_METADATA_TOO_LONG: "A name, description or version is longer than 4096 characters.",
  WOML_INVALID_ID: "An id breaks its pattern or is longer than 256 characters.",
  WOML_DUPLICATE_ID: "Two elements of a workflow share an id.",
  WOML_STEPS_CONTAINER_COUNT: "A workflow does not hold exactly one <steps>.",
  WOML_EMPTY_STEPS: "<steps> holds nothing.",
  WOML_TOO_MANY_NODES: "The workflow has more nodes than a definition may have.",
  WOML_TOO_MANY_EDGES: "The workflow has more edges than a definition may have.",
  WOML_DEFINITION_TOO_LARGE: "The definition made of the source is longer than one may be.",
  // Config
  WOML_CONFIG_DUPLICATE: "A workflow holds more than one <config>.",
  WOML_CONFIG_EMPTY: "<config> has no attribute.",
  WOML_CONFIG_ATTRIBUTE_UNKNOWN: "<config> has an attribute that it does not know.",
  WOML_CONFIG_CHILD_NOT_ALLOWED: "<config> holds something.",
  WOML_CONFIG_TIMEOUT_INVALID: "The timeout is not a duration of 1ms to 365d in whole milliseconds.",
  // Triggers
  WOML_TRIGGER_CONTAINER_COUNT: "A workflow holds more than one <triggers>.",
  WOML_TRIGGER_REQUIRED: "<triggers> holds nothing.",
  WOML_TRIGGER_UNSUPPORTED: "A child of <triggers> is no trigger.",
  WOML_TRIGGER_ID_DUPLICATE: "Two triggers share an id.",
  WOML_TRIGGER_LIMIT_EXCEEDED: "A workflow has more than 64 triggers.",
  // Steps
  WOML_STEP_OPERATION_COUNT: "A step does not hold exactly one <script>.",
  WOML_RETRY_INVALID: "retry is not an integer of 1 to 10.",
  WOML_RETRY_BACKOFF_INVALID: "retry-backoff is neither fixed nor exponential.",
  WOML_RETRY_BACKOFF_REQUIRES_RETRY: "A back-off attribute stands without retry above 1.",
  WOML_RETRY_DELAY_INVALID: "retry-delay is not a duration of 1ms to 24h.",
  WOML_RETRY_MAX_DELAY_INVALID: "retry-max-delay is not a duration of 1ms to 24h, or below retry-delay.",
  WOML_RETRY_MAX_DELAY_NOT_ALLOWED: "retry-max-delay stands with fixed back-off.",
  WOML_RETRY_HANDLER_UNSUPPORTED: "A retry attribute stands on an element other than a step.",
  // Parallel and choose
  WOML_PARALLEL_EMPTY: "A parallel group holds no step.",
  WOML_PARALLEL_CHILD_UNSUPPORTED: "A parallel group holds something other than a step.",
  WOML_PARALLEL_INVALID_POLICY: "on-error is neither fail-fast nor wait-all.",
  WOML_PARALLEL_TERMINAL_UNSUPPORTED: "The workflow ends with a parallel group, which has no output.",
  WOML_CHOOSE_WHEN_REQUIRED: "A choose has no <when>.",
  WOML_CHOOSE_OTHERWISE_REQUIRED: "A choose has no <otherwise>.",
  WOML_CHOOSE_OTHERWISE_ORDER: "<otherwise> is not the one last arm.",
  WOML_CHOOSE_RESULT_REQUIRED: "An arm does not hold exactly one <result>.",
  WOML_CHOOSE_RESULT_ORDER: "<result> is not the last in its arm.",
  // References
  WOML_INVALID_REFERENCE: "A value is not one exact context reference.",
  WOML_UNKNOWN_REFERENCE: "A reference names an id that does not exist.",
  WOML_REFERENCE_NOT_DOMINATING: "A reference names an output that is not certain to exist there.",
  WOML_ITERATION_REFERENCE_OUTSIDE_FOR_EACH: "A reference to a loop's item or iteration stands outside a loop.",
  // Scripts
  WOML_SCRIPT_SOURCE_TOO_LARGE: "A script is longer than 256 KiB of UTF-8.",
  WOML_SCRIPT_TOO_COMPLEX: "A script is nested too deeply, or holds too much of something, to be read.",
  WOML_SCRIPT_SYNTAX_INVALID: "A script is not the body of an async function.",
  WOML_SCRIPT_DYNAMIC_IMPORT_UNSUPPORTED: "A script uses import().",
  WOML_SCRIPT_MODULE_REQUIRE_UNSUPPORTED: "A script uses require().",
  WOML_SCRIPT_RAW_NETWORK_UNSUPPORTED: "A script opens a connection of its own.",
  WOML_SCRIPT_BINDING_SHADOWED: "A script declares a name that the platform gives it.",
  WOML_SCRIPT_FETCH_WRITE_UNSUPPORTED: "A script replaces fetch.",
} as const;
export type Code = keyof typeof CODES;

const LIMITS: ReadonlySet<string> = new Set<Code>(["WOML_TOO_MANY_NODES", "WOML_TOO_MANY_EDGES", "WOML_DEFINITION_TOO_LARGE"]);

/** Bounds of a definition, which is judged after the source. */
export const isLimit = (code: string): code is Code => LIMITS.has(code);
