import type { ScriptOutcome } from "@woml/sandbox";
import { nothingRan } from "../sandbox-double.ts";
import type { Chance } from "./chance.ts";

/** What a script does when it is run: how long it takes and how it ends. In calm times nothing is lost, but scripts still fail. */
export function scripted(chance: Chance, isCalm: boolean, throwing: number): { readonly ms: number; readonly outcome: ScriptOutcome } {
  const ms = chance.hit(0.08) ? chance.between(1_000, 25_000) : chance.between(1, 200);
  if (chance.hit(throwing))
    return { ms, outcome: { outcome: "script_threw", failure: { name: "Error", message: "by chance", stack: "" }, cpuMs: 1, ms } };
  const roll = chance.between(1, isCalm ? 90 : 100);
  if (roll <= 87) return { ms, outcome: { outcome: "ok", result: result(chance), cpuMs: 1, ms } };
  if (roll <= 87)
    return { ms, outcome: { outcome: "script_threw", failure: { name: "Error", message: "by chance", stack: "" }, cpuMs: 1, ms } };
  if (roll === 88) return { ms, outcome: { outcome: "ok", result: '"\\u0000"', cpuMs: 1, ms } };
  if (roll === 89) return { ms, outcome: nothingRan("cpu_exceeded") };
  if (roll <= 94) return { ms: 1, outcome: { ...nothingRan("overloaded"), retryAfterMs: chance.between(1, 300) } };
  return { ms, outcome: nothingRan(roll <= 97 ? "host_unavailable" : "worker_crashed") };
}

/** Mostly booleans: whole outputs are what choices test. */
function result(chance: Chance): string {
  return chance.pick(["true", "false", "true", "false", "null", '{"flag":true}']);
}
