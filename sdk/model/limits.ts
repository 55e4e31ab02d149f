/** UTF-8 length of one script. */
export const SOURCE_BYTES = 262_144;

/** What a definition may hold at most. Lengths of ids and labels stand in their schemas. */
export const LIMITS = {
  /** UTF-8 length of the canonical text. */
  definitionBytes: 2 * 1024 * 1024,
  nodes: 5_000,
  edges: 20_000,
  /** UTF-8 length of one script. */
  sourceBytes: SOURCE_BYTES,
  /** Violations in one answer; the rest of a hopeless definition is not listed. */
  violations: 100,
} as const;
