import type { Json, PayloadIssue } from "@woml/model";
import { canonical, payloadJudge, utf8Bytes } from "@woml/model/laws";

/** Of one publication: who is told of it, how long the payloads are together, how many workflows stand above it, what is told of payloads that are not taken. */
export const SIGNAL_LIMITS = { subscribers: 1_000, bytes: 8_388_608, depth: 32, issues: 100 } as const;

/** Names that only the platform gives to signals. */
export const isPlatformSignal = (name: string): boolean => name.startsWith("woml.");

/** A trigger that starts with a signal: `spec` as its definition has it. */
export interface Listener {
  readonly workflow: string;
  readonly trigger: string;
  readonly spec: Json;
}
/** `lineage`: the workflows that stand above it, outermost first. `steps`: what judging it may cost, where that is less than for one payload. */
export interface Published {
  readonly payload: Json;
  readonly lineage: readonly string[];
  readonly steps?: number;
}
/** Why a listener is told nothing. `issues` are those of the payload. */
export interface Deaf {
  readonly code: string;
  readonly message: string;
  readonly issues?: readonly PayloadIssue[];
}
/** `deaf` null: it starts. */
export interface Heard<L extends Listener> {
  readonly listener: L;
  readonly deaf: Deaf | null;
}

/**
 * What each listener makes of a signal: each by itself, but that judging payloads may cost no more for all of them than for one. No workflow hears of what
 * it stands above.
 */
export function hear<L extends Listener>(listeners: readonly L[], { payload, lineage, steps }: Published): readonly Heard<L>[] {
  const judge = payloadJudge(steps);
  let told = 0;
  return listeners.map((listener): Heard<L> => {
    if (lineage.includes(listener.workflow)) return { listener, deaf: cycle(listener, lineage) };
    const schema = schemaOf(listener.spec);
    const issues = schema === undefined ? [] : judge(schema, payload);
    if (issues.length === 0) return { listener, deaf: null };
    const shown = issues.slice(0, Math.max(0, SIGNAL_LIMITS.issues - told));
    told += shown.length;
    const unjudged = issues.find(({ code }) => code !== undefined);
    if (unjudged?.code !== undefined) return { listener, deaf: { code: unjudged.code, message: `The payload ${unjudged.message}.` } };
    const message = "The payload is not as the schema of the trigger says.";
    return { listener, deaf: { code: "WOML_TRIGGER_SCHEMA_INVALID", message, issues: shown } };
  });
}

/** How long the payloads are together for those that start; null: no longer than they may be. */
export function excessOf(heard: readonly Heard<Listener>[], payload: Json): number | null {
  const bytes = utf8Bytes(canonical(payload)) * heard.filter(({ deaf }) => deaf === null).length;
  return bytes > SIGNAL_LIMITS.bytes ? bytes : null;
}

function cycle({ workflow }: Listener, lineage: readonly string[]): Deaf {
  return { code: "WOML_EVENT_CYCLE", message: `${[...lineage, workflow].join(" → ")} would start itself.` };
}

function schemaOf(spec: Json): Json | undefined {
  return typeof spec === "object" && spec !== null && !Array.isArray(spec)
    ? (spec as { readonly [key: string]: Json })["schema"]
    : undefined;
}
