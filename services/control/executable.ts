import type { Diagnostic } from "@woml/language";
import { type Definition, LIMITS, RUNS_TODAY, unsupported } from "@woml/model";
import type { Places } from "./place.ts";

/** What of a definition is part of the language and is not run yet, each where it stands: such a version is not stored. */
export const notExecutable = (definition: Definition, places: Places): readonly Diagnostic[] =>
  unsupported(definition)
    .slice(0, LIMITS.violations)
    .map(({ what, subject }) =>
      places.subject(subject, { code: "WOML_FEATURE_NOT_EXECUTABLE", message: `${what} cannot be run yet.`, hint: RUNS_TODAY }),
    );
