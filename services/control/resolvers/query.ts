import type { RunFilter } from "@woml/prisma";
import type { RunStatus } from "@woml/run";
import { type Asking, type Resolvers, withAsker, withTenant } from "../asking.ts";
import { type DeliveriesArguments, deliveries } from "../deliveries.ts";
import { doctor } from "../doctor.ts";
import { ApiError } from "../errors.ts";
import { runIdOf, tenantIdOf, versionHashOf, workflowIdOf } from "../ids.ts";
import { inLine, lanes, quotas } from "../lanes.ts";
import { named } from "../named.ts";
import { connection, type PageArguments, pageAsk } from "../page.ts";
import { acceptLabel } from "../payload.ts";
import type { SourceFile } from "../project.ts";
import { listRuns } from "../run-list.ts";
import { findRun } from "../run-source.ts";
import { readOnAmbiguous } from "../setting.ts";
import { check } from "../sources.ts";
import { seen, type TriggersArguments, triggerKey } from "../triggers.ts";
import { verificationKey, verify } from "../verify.ts";

interface ById {
  readonly id: string;
}
interface RunsArguments extends PageArguments {
  readonly workflow?: string | null;
  readonly status?: readonly string[] | null;
  readonly label?: string | null;
}

interface KeysArguments extends PageArguments {
  readonly tenant?: string | null;
}

/** What is not the asking tenant's is not there: row-level security hides it, and null is the answer. */
export const queryResolvers: Resolvers = {
  me: () => ({}),
  check: (_: unknown, { files }: { readonly files: readonly SourceFile[] }, asking: Asking) => check(asking, files),
  workflow: (_: unknown, { id }: ById, asking: Asking) => withTenant(asking, (scope) => scope.workflow(workflowIdOf(id))),
  workflows: async (_: unknown, args: PageArguments, asking: Asking) => {
    const ask = pageAsk("workflow", args);
    return connection("workflow", await withTenant(asking, (scope) => scope.workflows(ask)), ({ id }) => id);
  },
  triggers: async (_: unknown, { workflow = null, ...args }: TriggersArguments, asking: Asking) => {
    const ask = pageAsk("trigger", args);
    const page = await withTenant(asking, async (scope) =>
      seen(scope, await scope.triggers(workflow === null ? null : [await named(scope, workflow)], ask)),
    );
    return connection("trigger", page, triggerKey);
  },
  deliveries: async (_: unknown, args: DeliveriesArguments, asking: Asking) =>
    connection("delivery", await deliveries(asking, args), ({ id }) => id),
  version: (_: unknown, { id }: ById, asking: Asking) => asking.reads.version(versionHashOf(id)),
  run: (_: unknown, { id }: ById, asking: Asking) => withTenant(asking, async (scope) => inLine(scope, await findRun(scope, runIdOf(id)))),
  runs: async (_: unknown, args: RunsArguments, asking: Asking) => {
    const ask = pageAsk("run", args);
    const filter = filterOf(args);
    return connection("run", await withTenant(asking, (scope) => listRuns(scope, filter, ask)), ({ id }) => id);
  },
  verify: async (_: unknown, args: PageArguments, asking: Asking) =>
    connection("verification", await verify(asking, pageAsk("verification", args)), verificationKey),
  doctor: (_: unknown, __: unknown, asking: Asking) => doctor(asking),
  lanes: (_: unknown, { workflow = null }: { readonly workflow?: string | null }, asking: Asking) => lanes(asking, workflow),
  quotas: (_: unknown, __: unknown, asking: Asking) => quotas(asking),
  secrets: (_: unknown, __: unknown, asking: Asking) => withTenant(asking, (scope) => scope.secrets()),
  plugins: async (_: unknown, args: PageArguments, asking: Asking) => {
    const ask = pageAsk("plugin", args);
    const page = await withAsker(asking, (scope) => scope.releases(ask));
    if (page === null) throw new ApiError("WOML_CURSOR_INVALID", "`after` is not a cursor of this list");
    return connection("plugin", page, ({ digest }) => digest);
  },
  audit: async (_: unknown, args: PageArguments, asking: Asking) => {
    const ask = pageAsk("audit", args);
    return connection("audit", await withAsker(asking, (scope) => scope.audit(ask)), ({ id }) => id);
  },
  tenants: async (_: unknown, args: PageArguments, asking: Asking) => {
    const ask = pageAsk("tenant", args);
    return connection("tenant", await asking.store.asAdmin((scope) => scope.tenants(ask)), ({ id }) => id);
  },
  keys: async (_: unknown, { tenant, ...args }: KeysArguments, asking: Asking) => {
    const ask = pageAsk("key", args);
    const of = tenant === null || tenant === undefined ? null : tenantIdOf(tenant);
    const page = await asking.store.asAdmin((scope) => scope.keys(of, ask));
    if (page === null) throw new ApiError("WOML_CURSOR_INVALID", "`after` is not a cursor of this list");
    return connection("key", page, ({ id }) => id);
  },
  onAmbiguous: (_: unknown, __: unknown, asking: Asking) => readOnAmbiguous(asking),
};

function filterOf({ workflow, status, label }: RunsArguments): RunFilter {
  return {
    workflow: workflow === null || workflow === undefined ? null : workflowIdOf(workflow),
    status: status?.map((word) => word.toLowerCase() as RunStatus) ?? null,
    label: label === null || label === undefined ? null : acceptLabel(label, "/label"),
  };
}
