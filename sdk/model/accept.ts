import { canonical } from "./canonical.ts";
import type { Definition } from "./definition.ts";
import { faults } from "./json.ts";
import { acyclic } from "./laws/acyclic.ts";
import { armEdges } from "./laws/arm-edges.ts";
import { bounded } from "./laws/bounded.ts";
import { choicePairs } from "./laws/choice-pairs.ts";
import { choiceResults } from "./laws/choice-results.ts";
import { closedArms } from "./laws/closed-arms.ts";
import { dominatedReference } from "./laws/dominated-reference.ts";
import { entryKinds } from "./laws/entry-kinds.ts";
import { knownCalls } from "./laws/known-calls.ts";
import { knownEndpoints } from "./laws/known-endpoints.ts";
import { knownReferences } from "./laws/known-references.ts";
import { noDeadEnd } from "./laws/no-dead-end.ts";
import { parallelGroups } from "./laws/parallel-groups.ts";
import { readableRanges } from "./laws/readable-ranges.ts";
import { resultCertain } from "./laws/result-certain.ts";
import { resultExists } from "./laws/result-exists.ts";
import { retryDelays } from "./laws/retry-delays.ts";
import { uniqueAliases } from "./laws/unique-aliases.ts";
import { uniqueEdges } from "./laws/unique-edges.ts";
import { uniqueNodeIds } from "./laws/unique-node-ids.ts";
import { uniqueTriggerIds } from "./laws/unique-trigger-ids.ts";
import { LIMITS } from "./limits.ts";
import { normalise } from "./order.ts";
import { type Law, outline } from "./outline.ts";
import { hasShape, shapeFaults } from "./shape.ts";
import { utf8Bytes } from "./text.ts";
import type { Json } from "./value.ts";
import { sortViolations, type Violation, violated } from "./violation.ts";

export type Accepted = { readonly definition: Definition } | { readonly violations: readonly Violation[] };

/** Each stage may rely on the laws of the stages before it: names, then groups without circles, then arms. */
const STAGES: readonly (readonly Law[])[] = [
  [bounded, uniqueNodeIds, uniqueTriggerIds, uniqueEdges, uniqueAliases, knownEndpoints, knownCalls, readableRanges, retryDelays],
  [acyclic, entryKinds, armEdges, choicePairs, choiceResults, parallelGroups, knownReferences, resultExists],
  [closedArms],
  [noDeadEnd, resultCertain, dominatedReference],
];

/**
 * Judges a definition alone, whoever made it: JSON text, size, shape, then law by law. All violations of the first stage that has
 * any, sorted by path. What is accepted is a normalised copy that shares nothing with `value`. Never throws for what JSON can say.
 */
export function accept(value: unknown): Accepted {
  const text = collect(faults(value));
  if (text.length > 0) return { violations: text };
  const stored = canonical(value as Json);
  const bytes = utf8Bytes(stored);
  if (bytes > LIMITS.definitionBytes) return { violations: [tooLarge(bytes)] };
  const copy = JSON.parse(stored) as Json;
  if (!hasShape(copy)) return { violations: collect(shapeFaults(copy)) };
  const found = breaches(copy);
  return found.length > 0 ? { violations: found } : { definition: normalise(copy) };
}

function breaches(definition: Definition): readonly Violation[] {
  const subject = outline(definition);
  for (const stage of STAGES) {
    const found = collect(stage.flatMap((law) => [...law(subject)]));
    if (found.length > 0) return found;
  }
  return [];
}

const collect = (violations: Iterable<Violation>): readonly Violation[] =>
  sortViolations(Iterator.from(violations).take(10 * LIMITS.violations)).slice(0, LIMITS.violations);

const tooLarge = (bytes: number): Violation =>
  violated(
    "WOML_DEFINITION_TOO_LARGE",
    "",
    `the definition has ${bytes} bytes as canonical JSON; at most ${LIMITS.definitionBytes} are taken`,
  );
