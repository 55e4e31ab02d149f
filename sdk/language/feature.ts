import type { Remark } from "./diagnostic.ts";

/** What this version runs; the hint of every feature that has no better one. */
const RUNS =
  "This version runs steps with scripts, parallel, choose with an id, manual triggers, and calls of http, fetch and capabilities (<uses>).";

/** For a part of WOML 1.0 that is not run yet. It is never ignored, and what it holds is not looked into. */
export const notExecutable = (what: string, hint: string = RUNS): Remark => ({
  code: "WOML_FEATURE_NOT_EXECUTABLE",
  message: `${what} is part of WOML 1.0 but cannot be executed by this version.`,
  hint,
});
