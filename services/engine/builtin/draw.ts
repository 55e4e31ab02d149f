/** What the platform's own operations are judged by, read from the store before each decision: impure, so that decide is not. */
import { canonical, type Definition } from "@woml/model";
import { admit, type EngineStore, type Reached, reachedCode, reachedWords } from "@woml/prisma";
import { asRunId, awaitsChild, type Called, hear, openSteps, pendingOf, type RunId, type RunKey, type RunState } from "@woml/run";
import type { CallOperation, Drawn } from "../decide/command.ts";
import type { Definitions } from "../definitions.ts";
import type { Asked } from "../judge.ts";
import { isBuiltin } from "./contract.ts";
import type { Audience } from "./events.ts";
import type { CallInput, EmitInput, StateInput } from "./input.ts";
import { lineageOf, type Target, type Wanted } from "./workflows.ts";

export interface Well {
  readonly store: Pick<EngineStore, "state" | "active" | "child" | "subscribers" | "allowance">;
  readonly definitions: Definitions;
  readonly digest: (text: string) => string;
  /** A new UUIDv7 each time. */
  readonly mint: () => string;
}
/** Of the run whose commands these are. */
export interface Around {
  readonly key: RunKey;
  readonly state: RunState;
}

/** Whether this call is one of the platform's own: there is one of these in an append. */
export function isOwnCall({ command }: Asked): boolean {
  return command.kind === "call_operation" && "called" in command.asked && isBuiltin(command.asked.called.release);
}
export function isDrawn(asked: Asked): boolean {
  return asked.command.kind === "report_child" || isOwnCall(asked);
}

/** Whether the runs that a run waits for have ended: asked when it is taken up, for whoever was told of that may have died. */
export function awaited(state: RunState): readonly Asked[] {
  const children = pendingOf(state, openSteps(state, "running")).flatMap((one) => (awaitsChild(one) ? (one.called?.child ?? []) : []));
  return children.map(({ run }) => ({ command: { kind: "report_child", child: asRunId(run), ended: null }, request: null }));
}

/** The same commands, with what was read. Rejects only when the store does. */
export function draw(well: Well, around: Around, asked: readonly Asked[]): Promise<readonly Asked[]> {
  return Promise.all(asked.map((one) => (isDrawn(one) ? drawn(well, around, one) : one)));
}

async function drawn(well: Well, around: Around, asked: Asked): Promise<Asked> {
  const { command } = asked;
  const { tenant } = around.key;
  if (command.kind === "report_child") {
    const stored = await well.store.child({ tenant, run: command.child });
    return { ...asked, command: { ...command, ended: stored?.ended ?? null } };
  }
  if (command.kind !== "call_operation" || !("called" in command.asked)) return asked;
  const { called } = command.asked;
  if (called.capability === "state") {
    const { key } = called.input as unknown as StateInput;
    const entry = await well.store.state(tenant, around.state.admitted?.workflow ?? "", key);
    return withDrawn(asked, command, { called, drawn: { of: "state", entry } });
  }
  if (called.capability === "events") {
    const audience = await audienceOf(well, around, { called, key: command.key });
    return withDrawn(asked, command, { called, drawn: { of: "events", ...audience } });
  }
  const wanted = await want(well, around, { called, key: command.key });
  const version = wanted.stored?.version ?? ("version" in wanted.target ? wanted.target.version : null);
  const child = version === null ? {} : { child: { run: wanted.run, version } };
  return withDrawn(asked, command, { called: { ...called, ...child }, drawn: { of: "workflows", ...wanted } });
}

function withDrawn(asked: Asked, command: Omit<CallOperation, "now">, drawn: { readonly called: Called; readonly drawn: Drawn }): Asked {
  return { ...asked, command: { ...command, asked: drawn } };
}

/** Who listens just now, what each makes of it, and who of those may start. */
async function audienceOf(well: Well, { key, state }: Around, call: { readonly called: Called; readonly key: string }): Promise<Audience> {
  const { signal, payload } = call.called.input as unknown as EmitInput;
  const subscribers = await well.store.subscribers(key.tenant, signal);
  const heard = hear(subscribers, { payload, lineage: lineageOf(state) });
  const willing = heard.flatMap(({ listener, deaf }) => (deaf === null ? listener.workflow : []));
  const reached = await reachedBy(well, key.tenant, willing);
  const each = reached.values();
  const told = heard.map((one) => {
    const { workflow, trigger } = one.listener;
    const run = childId(state.admitted?.origin ?? key.run, well.digest(`signal ${call.key} ${workflow} ${trigger}`));
    const kept = one.deaf === null ? (each.next().value ?? null) : null;
    const deaf = kept === null ? one.deaf : { code: reachedCode(kept), message: `Not started: ${reachedWords(kept)}.` };
    return { ...one, deaf, run, delivery: well.mint() };
  });
  return { id: call.key, heard: told, reached: reached.find((one) => one?.quota != null) ?? null };
}

/** What keeps back each of these starts; nobody is asked about none. */
async function reachedBy({ store }: Well, tenant: RunKey["tenant"], workflows: readonly string[]): Promise<readonly (Reached | null)[]> {
  return workflows.length === 0 ? [] : admit(await store.allowance(tenant, [...new Set(workflows)]), workflows);
}

/** B3: the first run of this call that may be waited for, or that is not asked for yet. A start asks for one run only. */
async function want(well: Well, { key, state }: Around, call: { readonly called: Called; readonly key: string }): Promise<Wanted> {
  const { id, payload } = call.called.input as unknown as CallInput;
  const digest = well.digest(canonical({ workflow: id, payload }));
  const target = await targetOf(well, key, id);
  for (let nth = 1; ; nth++) {
    const run = childId(state.admitted?.origin ?? key.run, well.digest(`child ${call.key} ${nth}`));
    const stored = await well.store.child({ tenant: key.tenant, run });
    if (stored !== null && call.called.operation !== "start" && hasFailed(stored.ended)) continue;
    const reached = stored === null && "version" in target ? ((await reachedBy(well, key.tenant, [id]))[0] ?? null) : null;
    return { run, stored, digest, target, reached };
  }
}

function hasFailed(ended: NonNullable<Wanted["stored"]>["ended"]): boolean {
  return ended === "refused" || (ended !== null && ended.status !== "succeeded");
}

async function targetOf({ store, definitions }: Well, { tenant }: RunKey, id: string): Promise<Target> {
  const version = await store.active(tenant, id);
  if (version === null) return { missing: "none" };
  const [prepared] = await definitions.load([{ tenant, version }]);
  if (prepared === undefined || "refused" in prepared) return { missing: "unreadable" };
  return { version, waits: holdsApproval(prepared.graph.definition.nodes) };
}

function holdsApproval(nodes: Definition["nodes"]): boolean {
  return nodes.some((node) => node.kind === "approval" || (node.kind === "for-each" && holdsApproval(node.body.nodes)));
}

/** Shaped as a UUIDv7 that was made when `origin` was, so that lists show it near that; the rest is from the digest. */
function childId(origin: string, digest: string): RunId {
  const hex = digest.replace(/^sha256:/, "");
  const variant = (8 + (Number.parseInt(hex.slice(3, 4), 16) % 4)).toString(16);
  return asRunId(`${origin.slice(0, 13)}-7${hex.slice(0, 3)}-${variant}${hex.slice(4, 7)}-${hex.slice(7, 19)}`);
}
