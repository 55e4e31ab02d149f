import { type CreateKeyInput, createKey, revokeKey } from "../access.ts";
import { activateVersion, deactivateWorkflow } from "../active.ts";
import {
  type ApprovePluginInput,
  approvePlugin,
  grantPlugin,
  type PluginGrantInput,
  type RevokePluginInput,
  revokeGrant,
  revokePlugin,
} from "../approve.ts";
import type { Asking, Resolvers } from "../asking.ts";
import { createTenant } from "../create-tenant.ts";
import { type ResolveApprovalInput, resolveApproval } from "../decision.ts";
import { type RedeliverInput, redeliver } from "../deliveries.ts";
import { type EmitSignalInput, emitSignal } from "../emit.ts";
import { type SetQuotaInput, setQuota } from "../lanes.ts";
import { type PublishInput, publish } from "../publish.ts";
import { cancelRun, type StartRunInput, startRun } from "../request.ts";
import { type RerunInput, rerun } from "../rerun.ts";
import { type ResolveUnknownInput, resolveUnknown } from "../resolve.ts";
import { type ResumeRunInput, resumeRun } from "../resume.ts";
import { removeSecret, type SetSecretInput, setSecret } from "../secret.ts";
import { type SetTriggerInput, setTrigger } from "../set-trigger.ts";
import { type OnAmbiguous, setOnAmbiguous } from "../setting.ts";
import { type SubmitPluginInput, submitPlugin } from "../submit.ts";

interface Input<T> {
  readonly input: T;
}

export const mutationResolvers: Resolvers = {
  publish: (_: unknown, { input }: Input<PublishInput>, asking: Asking) => publish(asking, input),
  activate: (_: unknown, { input }: Input<{ readonly version: string }>, asking: Asking) => activateVersion(asking, input.version),
  deactivate: (_: unknown, { input }: Input<{ readonly workflow: string }>, asking: Asking) => deactivateWorkflow(asking, input.workflow),
  setTrigger: async (_: unknown, { input }: Input<SetTriggerInput>, asking: Asking) => ({ trigger: await setTrigger(asking, input) }),
  startRun: (_: unknown, { input }: Input<StartRunInput>, asking: Asking) => startRun(asking, input),
  cancelRun: async (_: unknown, { input }: Input<{ readonly run: string }>, asking: Asking) => ({
    run: await cancelRun(asking, input.run),
  }),
  resolveUnknown: async (_: unknown, { input }: Input<ResolveUnknownInput>, asking: Asking) => ({
    run: await resolveUnknown(asking, input),
  }),
  resumeRun: (_: unknown, { input }: Input<ResumeRunInput>, asking: Asking) => resumeRun(asking, input),
  rerun: (_: unknown, { input }: Input<RerunInput>, asking: Asking) => rerun(asking, input),
  resolveApproval: async (_: unknown, { input }: Input<ResolveApprovalInput>, asking: Asking) => ({
    run: await resolveApproval(asking, input),
  }),
  redeliver: (_: unknown, { input }: Input<RedeliverInput>, asking: Asking) => redeliver(asking, input),
  emitSignal: (_: unknown, { input }: Input<EmitSignalInput>, asking: Asking) => emitSignal(asking, input),
  setSecret: async (_: unknown, { input }: Input<SetSecretInput>, asking: Asking) => ({ secret: await setSecret(asking, input) }),
  removeSecret: async (_: unknown, { input }: Input<{ readonly name: string }>, asking: Asking) => ({
    removed: await removeSecret(asking, input.name),
  }),
  setOnAmbiguous: async (_: unknown, { input }: Input<{ readonly onAmbiguous: OnAmbiguous }>, asking: Asking) => ({
    onAmbiguous: await setOnAmbiguous(asking, input.onAmbiguous),
  }),
  submitPlugin: (_: unknown, { input }: Input<SubmitPluginInput>, asking: Asking) => submitPlugin(asking, input),
  approvePlugin: async (_: unknown, { input }: Input<ApprovePluginInput>, asking: Asking) => ({
    release: await approvePlugin(asking, input),
  }),
  revokePlugin: async (_: unknown, { input }: Input<RevokePluginInput>, asking: Asking) => ({
    release: await revokePlugin(asking, input),
  }),
  grantPlugin: async (_: unknown, { input }: Input<PluginGrantInput>, asking: Asking) => ({
    changed: await grantPlugin(asking, input),
  }),
  revokeGrant: async (_: unknown, { input }: Input<PluginGrantInput>, asking: Asking) => ({
    changed: await revokeGrant(asking, input),
  }),
  createTenant: (_: unknown, { input }: Input<{ readonly name: string }>, asking: Asking) => createTenant(asking, input.name),
  setQuota: async (_: unknown, { input }: Input<SetQuotaInput>, asking: Asking) => ({ quota: await setQuota(asking, input) }),
  createKey: (_: unknown, { input }: Input<CreateKeyInput>, asking: Asking) => createKey(asking, input),
  revokeKey: async (_: unknown, { input }: Input<{ readonly key: string }>, asking: Asking) => ({
    key: await revokeKey(asking, input.key),
  }),
};
