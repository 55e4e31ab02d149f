import { PluginFailure } from "../failure.ts";
import { faults } from "../faults.ts";
import type { Manifest } from "../manifest.ts";
import type { Json } from "../plugin.ts";
import { termsOf } from "../terms.ts";
import { type Bench, keyOf, type Outcome } from "./bench.ts";

/** One call that the provider's double answers with success. `refused`: inputs that the schema must not take. */
export interface Example {
  readonly operation: string;
  readonly input: Json;
  readonly refused?: readonly Json[];
}
/** Looks at one thing; resolves to what is wrong, or to nothing. */
type Look = (bench: Bench) => Promise<string>;

/** What an example must show, by the class that the manifest gives it. Each look has a provider of its own. */
export function* checksOf(manifest: Manifest, example: Example): Generator<readonly [name: string, look: Look]> {
  const described = manifest.operations[example.operation];
  if (!described) {
    yield ["is an operation", async () => "the manifest does not name it"];
    return;
  }
  const { class: effect, windowMs } = termsOf(described, example.input);
  yield ["takes its example and refuses what it should", async () => inputFaults(described.input, example)];
  yield ["answers what its output says, asking only where it may", (bench) => answers(bench, example)];
  if (effect === "pure") yield ["is pure: twice the same, and no effect", (bench) => isPure(bench, example)];
  else {
    yield ["a lost answer is told, and is not made good by asking again", (bench) => tellsLoss(bench, example)];
    yield ["a provider that breaks after the effect has not said no", (bench) => tellsBreak(bench, example)];
  }
  if (windowMs !== null) yield ["is keyed: one effect a key, however often", (bench) => isKeyed(bench, example)];
  if (effect === "reattachable") yield ["is reattachable: the status is that of the effect", (bench) => isReattachable(bench, example)];
}

function inputFaults(schema: object, { input, refused = [] }: Example): string {
  const found = faults(schema, input);
  if (found.length > 0) return `its example does not fit: ${found.join("; ")}`;
  const taken = refused.filter((one) => faults(schema, one).length === 0);
  return taken.length === 0 ? "" : `it takes ${JSON.stringify(taken)}`;
}

async function answers(bench: Bench, { operation, input }: Example): Promise<string> {
  const outcome = await bench.perform(operation, input);
  if (bench.trespasses.length > 0) return bench.trespasses.join("; ");
  return "error" in outcome ? `it failed: ${told(outcome)}` : bench.misfit(operation, outcome.result);
}

async function isPure(bench: Bench, { operation, input }: Example): Promise<string> {
  const first = await bench.perform(operation, input);
  const second = await bench.perform(operation, input, { key: keyOf(2) });
  if (told(first) !== told(second)) return `${told(first)}, then ${told(second)}`;
  return effectsAre(bench, 0);
}

async function tellsLoss(bench: Bench, { operation, input }: Example): Promise<string> {
  const outcome = await bench.perform(operation, input, { fate: "after" });
  if ("result" in outcome) return "it answered although its request's answer was lost";
  return saysNo(outcome.error) ? `${told(outcome)} is not ambiguous, and the effect is there` : effectsAre(bench, 1);
}

async function tellsBreak(bench: Bench, { operation, input }: Example): Promise<string> {
  const outcome = await bench.perform(operation, input, { fate: "broke" });
  if ("result" in outcome) return "it answered although the provider answered 500";
  return saysNo(outcome.error) ? `${told(outcome)} is not ambiguous, and the effect is there` : effectsAre(bench, 1);
}

async function isKeyed(bench: Bench, { operation, input }: Example): Promise<string> {
  await bench.perform(operation, input, { fate: "before" });
  await bench.perform(operation, input, { fate: "after" });
  const first = await bench.perform(operation, input, { fate: "twice" });
  const second = await bench.perform(operation, input);
  if ("error" in first) return `performed again it failed: ${told(first)}`;
  const one = await effectsAre(bench, 1);
  if (one !== "") return one;
  if (told(first) !== told(second)) return `${told(first)}, then ${told(second)}`;
  await bench.perform(operation, input, { key: keyOf(2) });
  return effectsAre(bench, 2);
}

async function isReattachable(bench: Bench, { operation, input }: Example): Promise<string> {
  await bench.perform(operation, input, { fate: "before" });
  const nothing = statusOf(await bench.reattach(operation, input));
  if (nothing === "succeeded") return "it found what was never done";
  await bench.perform(operation, input, { fate: "after" });
  const found = await bench.reattach(operation, input);
  if (statusOf(found) !== "succeeded") return `what was done is ${told(found)}`;
  const misfit = bench.misfit(operation, resultOf(found));
  if (misfit !== "") return `what it found does not fit: ${misfit}`;
  if (statusOf(await bench.reattach(operation, input, keyOf(2))) === "succeeded") return "it found another key's effect";
  return bench.trespasses.length > 0 ? bench.trespasses.join("; ") : effectsAre(bench, 1);
}

/** A failure that promises that nothing was done. What is thrown otherwise the platform judges itself. */
const saysNo = (error: unknown): boolean => error instanceof PluginFailure && !error.ambiguous;

async function effectsAre(bench: Bench, expected: number): Promise<string> {
  const effects = await bench.provider.effects();
  return effects === expected ? "" : `${effects} effects, not ${expected}`;
}

const member = (outcome: Outcome, name: string): Json =>
  "result" in outcome ? ((outcome.result as Readonly<Record<string, Json>> | null)?.[name] ?? null) : null;
const statusOf = (outcome: Outcome): Json => member(outcome, "status");
const resultOf = (outcome: Outcome): Json => member(outcome, "result");
const told = (outcome: Outcome): string => ("result" in outcome ? JSON.stringify(outcome.result) : String(outcome.error));
