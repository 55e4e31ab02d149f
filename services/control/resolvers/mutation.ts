import type { Asking, Resolvers } from "../asking.ts";
import { createTenant } from "../create-tenant.ts";
import { type PublishInput, publish } from "../publish.ts";
import { cancelRun, type StartRunInput, startRun } from "../request.ts";

interface Input<T> {
  readonly input: T;
}

export const mutationResolvers: Resolvers = {
  publish: (_: unknown, { input }: Input<PublishInput>, asking: Asking) => publish(asking, input),
  startRun: (_: unknown, { input }: Input<StartRunInput>, asking: Asking) => startRun(asking, input),
  cancelRun: async (_: unknown, { input }: Input<{ readonly run: string }>, asking: Asking) => ({
    run: await cancelRun(asking, input.run),
  }),
  createTenant: (_: unknown, { input }: Input<{ readonly name: string }>, asking: Asking) => createTenant(asking, input.name),
};
