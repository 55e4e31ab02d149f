import type { MemoryRequest, MemoryRun } from "@woml/prisma/memory";
import type { OperationState, RunKey, TenantId } from "@woml/run";
import { operationsOf } from "./effects.ts";
import type { Known } from "./known.ts";
import type { Plot } from "./plot.ts";
import { CHILD, COUNTER } from "./program.ts";
import type { Tally } from "./tally.ts";

/** Runs that other runs have asked for and nobody knows yet. */
export function offspring(requests: readonly MemoryRequest[], known: readonly Known[], plot: Plot): readonly Known[] {
  const names = new Set<string>(known.map(({ run }) => run));
  return requests.flatMap(({ tenant, run, body }): Known[] => {
    if (body.kind !== "start" || body.workflow !== CHILD || names.has(run)) return [];
    return [{ tenant, run, version: plot.version, graph: plot.graph, times: plot.times }];
  });
}

interface Family {
  readonly rows: readonly MemoryRun[];
  readonly requests: readonly MemoryRequest[];
  readonly counted: (tenant: TenantId, workflow: string, key: string) => Promise<number>;
  readonly tally: Tally;
}

/** What the platform's own operations did, against what the logs say of them. */
export async function ownFaults({ rows, requests, counted, tally }: Family): Promise<readonly string[]> {
  const faults: string[] = [];
  const wanted = new Map<string, number>();
  const asked = new Set<string>();
  for (const row of rows)
    for (const operation of operationsOf(row)) {
      if (operation.capability === "state" && isOwn(operation) && operation.status === "succeeded") {
        const scope = `${row.tenant} ${workflowOf(row)}`;
        wanted.set(scope, (wanted.get(scope) ?? 0) + 1);
      }
      const child = operation.called?.child?.run;
      if (child !== undefined) asked.add(child);
      if (operation.capability === "events") faults.push(...signalFaults(row, operation, { requests, asked, tally }));
      if (operation.capability === "workflows") faults.push(...callFaults(row, operation, rows, tally));
    }
  for (const [scope, times] of wanted) {
    const [tenant, workflow] = scope.split(" ") as [TenantId, string];
    const stands = await counted(tenant, workflow, COUNTER);
    tally.hit("state counted");
    if (stands !== times) faults.push(`${workflow} has counted ${stands}, and its logs ${times}`);
  }
  for (const { run, body } of requests)
    if (body.kind === "start" && (body.parent ?? body.signal) !== undefined && !asked.has(run))
      faults.push(`${run} was asked for by no log`);
  return faults;
}

interface Emitting extends Pick<Family, "requests" | "tally"> {
  readonly asked: Set<string>;
}

/** What a signal was answered to have started is asked for, once, with what stands above it. */
function signalFaults({ run, tenant }: RunKey, { key, status, reused, result }: OperationState, around: Emitting): readonly string[] {
  if (reused !== null || status !== "succeeded") return [];
  const { deliveries } = result as unknown as {
    readonly deliveries: readonly { readonly status: string; readonly code?: string; readonly runId?: string }[];
  };
  return deliveries.flatMap((one) => {
    around.tally.hit(`signal: ${one.code ?? one.status}`);
    const id = one.runId?.replace("run_", "");
    if (id === undefined) return [];
    around.asked.add(id);
    const starts = around.requests.filter(
      ({ body, ...of }) => body.kind === "start" && of.tenant === tenant && of.run === id && body.signal?.id === key,
    );
    return starts.length === 1 ? [] : [`${run} was told of ${id}, and ${starts.length} starts ask for it`];
  });
}

function callFaults({ run, tenant }: RunKey, operation: OperationState, rows: readonly MemoryRun[], tally: Tally): readonly string[] {
  const { operation: name, status, result, failure, called } = operation;
  if (!isOwn(operation) || status === "refused") return [];
  tally.hit(`${name} of a workflow: ${status === "failed" ? failure?.code : status}`);
  const child = rows.find((one) => one.tenant === tenant && one.run === called?.child?.run);
  const last = child?.events.at(-1);
  if (name !== "call" || status !== "succeeded") return [];
  const isSame = last?.type === "run_succeeded" && JSON.stringify(last.data.result) === JSON.stringify(result);
  return isSame ? [] : [`${run} was told ${JSON.stringify(result)} of ${child?.run}, which ended with ${last?.type}`];
}

/** Performed in this attempt, of this run. */
const isOwn = ({ reused, inherited }: OperationState): boolean => reused === null && inherited === undefined;

function workflowOf({ events: [first] }: MemoryRun): string {
  return first?.type === "run_admitted" ? first.data.workflow : "";
}
