import type { Client, Trigger } from "@woml/client";
import { type Definition, secretNames } from "@woml/model";

/** A secret that nobody has set, and the workflows that need it. */
export interface Unset {
  readonly name: string;
  readonly workflows: readonly string[];
}

/** By name. What is set for a trigger where it runs may need others than its source says. */
export async function unsetSecrets(
  client: Pick<Client, "secrets">,
  definitions: readonly Definition[],
  triggers: readonly Pick<Trigger, "workflow" | "secrets">[],
): Promise<readonly Unset[]> {
  const needs = [
    ...definitions.flatMap((one) => secretNames(one).map((name) => ({ name, workflow: one.workflow.id }))),
    ...triggers.flatMap(({ workflow, secrets }) => secrets.map((name) => ({ name, workflow }))),
  ];
  if (needs.length === 0) return [];
  const set = new Set((await client.secrets()).map(({ name }) => name));
  const unset = Map.groupBy(
    needs.filter(({ name }) => !set.has(name)),
    ({ name }) => name,
  );
  return [...unset]
    .map(([name, by]) => ({ name, workflows: [...new Set(by.map(({ workflow }) => workflow))] }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}
