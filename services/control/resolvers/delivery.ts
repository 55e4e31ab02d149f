import type { DeliveryRow } from "@woml/prisma";
import { showRunId } from "@woml/run";
import type { Resolvers } from "../asking.ts";

/** Of what no trigger was for both are null. */
const named = (name: string): string | null => (name === "" ? null : name);

export const deliveryResolvers: Resolvers = {
  workflow: ({ workflow }: DeliveryRow) => named(workflow),
  trigger: ({ trigger }: DeliveryRow) => named(trigger),
  at: ({ at }: DeliveryRow) => new Date(at).toISOString(),
  run: ({ run }: DeliveryRow) => (run === undefined ? null : showRunId(run)),
};
