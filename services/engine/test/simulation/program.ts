import { handleOf } from "@woml/capability";
import type { Json } from "@woml/model";
import type { Invocation, ScriptOutcome } from "@woml/sandbox";
import type { Talk, Told } from "../talk-double.ts";
import type { Chance } from "./chance.ts";
import { OPERATIONS, type OperationName } from "./wares.ts";

/** What a script does, as data: it is the text of the script, so that each execution of it does the same. */
export interface Program {
  readonly acts: readonly Act[];
  readonly result: Json;
}
type Act =
  | Call
  | { readonly act: "all"; readonly of: readonly Call[] }
  /** Goes on with whichever comes first; the call stays open. */
  | { readonly act: "race"; readonly call: Call; readonly ms: number }
  | { readonly act: "sleep"; readonly ms: number }
  /** In the first attempts up to this one. */
  | { readonly act: "throw"; readonly upTo: number }
  /** Counts in what its workflow keeps. */
  | { readonly act: "count"; readonly id: string }
  /** Emits a signal that the other workflow listens to. */
  | { readonly act: "emit"; readonly id: string }
  /** Asks for a run of another workflow, and waits for it or not. */
  | { readonly act: "ask"; readonly id: string; readonly waits: boolean; readonly timeout: string | null };
interface Call {
  readonly act: "call";
  readonly operation: OperationName;
  /** What it is for, whatever else it says: the world counts effects by it, in a loop by iteration. Two calls with one id are the same call twice. */
  readonly id: string;
  readonly name: string | null;
  readonly catches: boolean;
  /** It asks for something else in each attempt, or in each execution. */
  readonly varies: "never" | "attempt" | "execution";
  readonly hasSecret: boolean;
}

export const SECRET = "KEY";
/** What is counted in, and the workflow that others ask for. */
export const COUNTER = "count";
export const CHILD = "child";
export const SIGNAL = "made.up";
/** Longer than a script may take. */
const OVER_WALL_MS = 31_000;
const NAMES = Object.keys(OPERATIONS) as OperationName[];

/** A program whose calls are for `purpose`. */
export function programFor(purpose: string, chance: Chance, hasSecrets: boolean): Program {
  let count = 0;
  const call = (): Call => {
    count += 1;
    const id = `${purpose}/${count}`;
    const varies = chance.hit(0.07) ? "attempt" : chance.hit(0.08) ? "execution" : "never";
    const operation = chance.pick(NAMES as [OperationName, ...OperationName[]]);
    return {
      act: "call",
      operation,
      id,
      name: chance.hit(0.5) ? id : null,
      catches: chance.hit(0.65),
      varies,
      hasSecret: hasSecrets && chance.hit(0.1),
    };
  };
  const act = (): readonly Act[] => {
    const roll = chance.next();
    if (roll < 0.55) return [call()];
    if (roll < 0.67) return [{ act: "all", of: [call(), call()] }];
    if (roll < 0.79) return [{ act: "race", call: call(), ms: chance.between(1, 600) }];
    if (roll < 0.85) return [{ act: "sleep", ms: chance.hit(0.1) ? OVER_WALL_MS : chance.between(1, 1_500) }];
    // The same again is another call only where it has no name.
    if (roll < 0.89) return Array<Call>(2).fill({ ...call(), name: null });
    if (roll < 0.93) return [{ act: "count", id: `${purpose}/count` }];
    if (roll < 0.97) return [{ act: "ask", id: `${purpose}/ask`, waits: chance.hit(0.7), timeout: chance.pick([null, null, "2s"]) }];
    if (roll < 0.985) return [{ act: "emit", id: `${purpose}/emit` }];
    return [{ act: "throw", upTo: chance.between(1, 2) }];
  };
  const acts = Array.from({ length: chance.between(1, 3) }, act).flat();
  return { acts, result: chance.pick([true, false, true, false, null, { flag: true }] as [Json, ...Json[]]) };
}

/** null: another script. */
export function programIn(text: string): Program | null {
  return text.startsWith('{"acts":') ? JSON.parse(text) : null;
}

/** How often each id may have its effect at one site, once an attempt has been right. */
export function timesOf({ acts }: Program): ReadonlyMap<string, number> {
  const times = new Map<string, number>();
  const calls = acts.flatMap((one) => (one.act === "call" ? [one] : one.act === "all" ? one.of : one.act === "race" ? [one.call] : []));
  for (const { id } of calls) times.set(id, (times.get(id) ?? 0) + 1);
  return times;
}

class Refusal extends Error {
  readonly call: number;
  constructor(told: Told & { readonly ok: false }, call: number) {
    super(told.code);
    this.call = call;
  }
}

/** Plays a program as the script of an invocation. `whim` says, anew at each time, what a call asks for that is never twice the same. */
export async function perform(program: Program, { invocation, talk }: Stage, whim: () => number): Promise<ScriptOutcome> {
  const { number }: { number: number } = JSON.parse(invocation.attempt);
  const { iteration }: { iteration?: { index: number } } = JSON.parse(invocation.context);
  const nth = iteration === undefined ? "" : `#${iteration.index}`;
  const call = async ({ operation, id, name, catches, varies, hasSecret }: Call): Promise<void> => {
    if (varies === "execution" && whim() === 1) await talk.timer(1);
    const n = varies === "attempt" ? number : varies === "execution" ? whim() : 0;
    const handle = hasSecret ? { key: invocation.secrets?.[SECRET] ?? handleOf("", SECRET) } : {};
    const which = talk.calls + 1;
    const told = await talk.call(`shop.${operation}`, { id: `${id}${nth}`, n, ...handle }, name);
    if (!told.ok && !catches) throw new Refusal(told, which);
  };
  const own = async (operation: string, input: Json, name: string): Promise<void> => {
    const which = talk.calls + 1;
    const told = await talk.call(operation, input, name);
    if (!told.ok) throw new Refusal(told, which);
  };
  const act = async (one: Act): Promise<void> => {
    if (one.act === "call") await call(one);
    else if (one.act === "all") await Promise.all(one.of.map(call));
    else if (one.act === "race") await Promise.race([call({ ...one.call, catches: true }), talk.timer(one.ms)]);
    else if (one.act === "sleep") await talk.timer(one.ms);
    else if (one.act === "count") await own("state.increment", { key: COUNTER }, one.id);
    else if (one.act === "emit") await own("events.emit", { signal: SIGNAL, payload: {} }, one.id);
    else if (one.act === "ask") {
      const timeout = one.waits && one.timeout !== null ? { timeout: one.timeout } : {};
      await own(`workflows.${one.waits ? "call" : "start"}`, { id: CHILD, payload: {}, ...timeout }, one.id);
    } else if (number <= one.upTo) throw new Error("not yet");
  };
  const spent = { cpuMs: 1, ms: 1 };
  try {
    for (const one of program.acts) await act(one);
    return { outcome: "ok", result: JSON.stringify(program.result), ...spent };
  } catch (error) {
    const which = error instanceof Refusal ? { call: error.call } : {};
    const message = error instanceof Error ? error.message : String(error);
    return { outcome: "script_threw", failure: { name: "Error", message, stack: "", ...which }, ...spent };
  }
}
interface Stage {
  readonly invocation: Invocation;
  readonly talk: Talk;
}
