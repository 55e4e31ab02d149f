import type { ScriptOutcome } from "@woml/sandbox";
import { nothingRan, type Play } from "../sandbox-double.ts";
import type { Chance } from "./chance.ts";
import { NOTICE } from "./dress.ts";
import { perform, programIn } from "./program.ts";
import type { Time } from "./time.ts";

interface Parts {
  readonly time: Time;
  readonly chance: Chance;
  readonly isCalm: () => boolean;
  /** How likely a script that calls nothing throws. */
  readonly throwing: number;
}

/** What runs in a sandbox: programs, which do the same each time, and scripts that only take a while and end somehow. */
export function playing(parts: Parts): Play {
  const { time, chance, isCalm } = parts;
  return async (invocation, talk) => {
    const program = programIn(invocation.script.text);
    if (program === null) {
      const { ms, outcome } = scripted(parts, invocation.script.text === NOTICE);
      await time.sleep(ms);
      return outcome;
    }
    if (!isCalm() && chance.hit(0.04)) return { ...nothingRan("overloaded"), retryAfterMs: chance.between(1, 300) };
    const late = time.sleep(invocation.limits.wallMs).then(() => ({ ...nothingRan("wall_exceeded"), open: talk.open }));
    const whim = (): number => (isCalm() ? 0 : chance.between(0, 1));
    return Promise.race([perform(program, { invocation, talk }, whim), late, ...mishap(parts)]);
  };
}

function mishap({ time, chance, isCalm }: Parts): readonly Promise<ScriptOutcome>[] {
  if (isCalm() || !chance.hit(0.12)) return [];
  const outcome = chance.pick(["worker_crashed", "host_unavailable", "host_unavailable", "cpu_exceeded"]);
  return [time.sleep(chance.between(1, 2_500)).then(() => nothingRan(outcome))];
}

/** How long it takes and how it ends. In calm times nothing is lost, but scripts still fail. */
function scripted({ chance, isCalm, throwing }: Parts, isNotice: boolean): { readonly ms: number; readonly outcome: ScriptOutcome } {
  const ms = chance.hit(0.08) ? chance.between(1_000, 25_000) : chance.between(1, 200);
  if (chance.hit(throwing))
    return { ms, outcome: { outcome: "script_threw", failure: { name: "Error", message: "by chance", stack: "" }, cpuMs: 1, ms } };
  const roll = chance.between(1, isCalm() ? 90 : 100);
  if (roll <= 87)
    return { ms, outcome: { outcome: "ok", result: isNotice && chance.hit(0.9) ? '{"messageId":"m"}' : result(chance), cpuMs: 1, ms } };
  if (roll === 88) return { ms, outcome: { outcome: "ok", result: '"\\u0000"', cpuMs: 1, ms } };
  if (roll <= 90) return { ms, outcome: nothingRan("cpu_exceeded") };
  if (roll <= 94) return { ms: 1, outcome: { ...nothingRan("overloaded"), retryAfterMs: chance.between(1, 300) } };
  return { ms, outcome: nothingRan(roll <= 97 ? "host_unavailable" : "worker_crashed") };
}

/** Mostly booleans: whole outputs are what choices test. */
function result(chance: Chance): string {
  return chance.pick(["true", "false", "true", "false", "null", '{"flag":true}']);
}
