import type { PluginHost } from "@woml/plugin-host";
import { operationId, type RunState, type TenantId } from "@woml/run";
import { isBuiltin } from "./builtin/contract.ts";
import type { Asked } from "./judge.ts";

/** With the plugin host that a dispatch would go to which follows from it: chosen when it is judged, so that it is one that is there. */
export function hosted(plugins: Pick<PluginHost, "choose">, tenant: TenantId, state: RunState, asked: Asked): Asked {
  const { command } = asked;
  if (command.kind !== "call_operation" && command.kind !== "report_operation" && command.kind !== "resolve_outcome") return asked;
  const release = releaseOf(state, command);
  const host = release === null ? undefined : plugins.choose(tenant, release);
  if (host === undefined) return asked;
  return { ...asked, command: { ...command, host: host ?? "" } };
}

type Hosted = Extract<Asked["command"], { readonly host?: string }>;

/** The release of what may be dispatched; null: nothing. */
function releaseOf({ operations }: RunState, command: Hosted): string | null {
  if (command.kind === "call_operation") {
    const release = "called" in command.asked ? command.asked.called.release : null;
    return release === null || isBuiltin(release) ? null : release;
  }
  const { node, attempt, call } = command;
  const isOver = command.kind === "report_operation" ? command.said.status === "succeeded" : command.verdict.status !== "retry";
  if (isOver || call === null) return null;
  return operations.get(operationId(node, attempt, call))?.called?.release ?? null;
}
