import { canonical } from "./canonical.ts";
import type { Definition } from "./definition.ts";
import { faults } from "./json.ts";
import { acyclic } from "./laws/acyclic.ts";
import { approvalGroups } from "./laws/approval-groups.ts";
import { armEdges } from "./laws/arm-edges.ts";
import { bounded, tooMany } from "./laws/bounded.ts";
import { callOnly } from "./laws/call-only.ts";
import { choicePairs } from "./laws/choice-pairs.ts";
import { choiceResults } from "./laws/choice-results.ts";
import { closedArms } from "./laws/closed-arms.ts";
import { controlChoices } from "./laws/control-choices.ts";
import { distinctCases } from "./laws/distinct-cases.ts";
import { dominatedReference } from "./laws/dominated-reference.ts";
import { entryKinds } from "./laws/entry-kinds.ts";
import { forkBranches } from "./laws/fork-branches.ts";
import { forkGroups } from "./laws/fork-groups.ts";
import { knownCalls } from "./laws/known-calls.ts";
import { knownContracts } from "./laws/known-contracts.ts";
import { knownEndpoints } from "./laws/known-endpoints.ts";
import { knownReferences } from "./laws/known-references.ts";
import { lifecycleHooks } from "./laws/lifecycle-hooks.ts";
import { loopBodies } from "./laws/loop-bodies.ts";
import { messagePaths } from "./laws/message-paths.ts";
import { noDeadEnd } from "./laws/no-dead-end.ts";
import { noticeMessages } from "./laws/notice-messages.ts";
import { parallelGroups } from "./laws/parallel-groups.ts";
import { readableRanges } from "./laws/readable-ranges.ts";
import { readableTriggers } from "./laws/readable-triggers.ts";
import { resultCertain } from "./laws/result-certain.ts";
import { resultExists } from "./laws/result-exists.ts";
import { retryDelays } from "./laws/retry-delays.ts";
import { reusableProps } from "./laws/reusable-props.ts";
import { singleFile } from "./laws/single-file.ts";
import { uniqueAliases } from "./laws/unique-aliases.ts";
import { uniqueEdges } from "./laws/unique-edges.ts";
import { uniqueModules } from "./laws/unique-modules.ts";
import { uniqueNodeIds } from "./laws/unique-node-ids.ts";
import { uniqueTriggerIds } from "./laws/unique-trigger-ids.ts";
import { LIMITS } from "./limits.ts";
import { normalise } from "./normalise.ts";
import { flowsOf, type Law, type Outline, outline } from "./outline.ts";
import { utf8Bytes } from "./text.ts";
import type { Json } from "./value.ts";
import { sortViolations, type Violation, violated } from "./violation.ts";

export type Accepted = { readonly definition: Definition } | { readonly violations: readonly Violation[] };

interface Stage {
  /** Laws of a definition. */
  readonly whole: readonly Law[];
  /** Laws of each of its flows. */
  readonly flows: readonly Law[];
}
/** Each stage may rely on the laws of the stages before it: names, then groups without circles, then arms, then what stands in them. */
const STAGES: readonly Stage[] = [
  {
    whole: [
      bounded,
      uniqueNodeIds,
      uniqueTriggerIds,
      uniqueAliases,
      uniqueModules,
      knownContracts,
      knownCalls,
      readableRanges,
      readableTriggers,
    ],
    flows: [uniqueEdges, knownEndpoints, retryDelays],
  },
  {
    whole: [knownReferences, resultExists, callOnly, lifecycleHooks, noticeMessages, messagePaths, reusableProps],
    flows: [
      acyclic,
      entryKinds,
      armEdges,
      choicePairs,
      choiceResults,
      controlChoices,
      distinctCases,
      parallelGroups,
      forkGroups,
      approvalGroups,
      loopBodies,
    ],
  },
  {
    whole: [],
    flows: [closedArms],
  },
  {
    whole: [resultCertain],
    flows: [noDeadEnd, forkBranches, dominatedReference],
  },
  {
    whole: [],
    flows: [singleFile],
  },
];

/**
 * Judges a definition of the right shape: JSON text, size, then law by law. All violations of the first stage that has any, sorted by
 * path. What is accepted is a normalised copy that shares nothing with `definition`. Never throws for what JSON can say.
 */
export function judge(definition: Definition): Accepted {
  const copy = copied(definition);
  return "violations" in copy ? copy : lawful(copy.value as Definition);
}

/** A copy of `value`, if it is JSON that a definition may be. */
export function copied(value: unknown): { readonly value: Json } | { readonly violations: readonly Violation[] } {
  const text = collect(faults(value));
  if (text.length > 0) return { violations: text };
  const stored = canonical(value as Json);
  const large = tooLarge(stored);
  return large.length > 0 ? { violations: large } : { value: JSON.parse(stored) as Json };
}

export function lawful(definition: Definition): Accepted {
  const found = breaches(definition);
  return found.length > 0 ? { violations: found } : { definition: normalise(definition) };
}

function breaches(definition: Definition): readonly Violation[] {
  const subject = outline(definition);
  const flows = flowsOf(subject);
  for (const stage of STAGES) {
    const found = collect(violations(stage, subject, flows));
    if (found.length > 0) return found;
  }
  return [];
}

function* violations(stage: Stage, subject: Outline, flows: readonly Outline[]): Generator<Violation> {
  for (const law of stage.whole) yield* law(subject);
  for (const flow of flows) for (const law of stage.flows) yield* law(flow);
}

export const collect = (violations: Iterable<Violation>): readonly Violation[] =>
  sortViolations(Iterator.from(violations).take(10 * LIMITS.violations)).slice(0, LIMITS.violations);

function tooLarge(stored: string): readonly Violation[] {
  const bytes = utf8Bytes(stored);
  if (bytes <= LIMITS.definitionBytes) return [];
  const message = `the definition has ${bytes} bytes as canonical JSON; at most ${LIMITS.definitionBytes} are taken`;
  return [violated("WOML_DEFINITION_TOO_LARGE", "", message)];
}

/** Which bounds a definition passes that keeps every other law: what `judge` would say of it, without judging it. */
export function exceeded(definition: Definition): readonly Violation[] {
  const large = tooLarge(canonical(definition));
  const bodies = definition.nodes.flatMap((node) => (node.kind === "for-each" ? [node.body] : []));
  return large.length > 0 ? large : [...tooMany([definition, ...bodies])];
}
