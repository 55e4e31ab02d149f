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

/** What one run may have: events, and elements of a loop. */
export const RUN_LIMITS = { events: 250_000, items: 10_000 } as const;

/** What the runs of one workflow keep together with services.state. Sizes are UTF-8 lengths; `bytes` counts keys and values. */
export const STATE_LIMITS = {
  keys: 10_000,
  bytes: 64 * 1024 * 1024,
  keyBytes: 256,
  valueBytes: 256 * 1024,
} as const;
