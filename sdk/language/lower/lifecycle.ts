import type { Hook } from "@woml/model";
import { HOOK_EVENTS } from "@woml/model/laws";
import { eventOf } from "../hook.ts";
import { childrenNamed, type Element, elementsOf, textOf } from "../tree.ts";
import { idsOf, type Kind } from "../visibility.ts";
import type { Draft } from "./draft.ts";
import { actionId, lowerNotices } from "./notice.ts";
import { lowerScript } from "./script.ts";

type Sees = (id: string) => boolean;

/** The hooks of a workflow in the order of their events; undefined when it has none. */
export function lowerLifecycle(workflow: Element, draft: Draft): Hook[] | undefined {
  const hooks = childrenNamed(workflow, "lifecycle").flatMap(elementsOf);
  if (hooks.length === 0) return undefined;
  const sees = outputsOf(draft);
  return HOOK_EVENTS.flatMap((on) => hooks.filter((hook) => eventOf(hook) === on).map((hook) => lowerHook(hook, on, draft, sees)));
}

function lowerHook(hook: Element, on: Hook["on"], draft: Draft, sees: Sees): Hook {
  draft.subjects.set(`hook:${on}`, hook.openRange);
  const steps = textOf(hook, "steps");
  return {
    on,
    ...(steps !== undefined && { steps: steps.trim().split(/\s+/).sort() }),
    actions: elementsOf(hook).map((action) => lowerAction(action, draft, sees)),
  };
}

const lowerAction = (action: Element, draft: Draft, sees: Sees): Hook["actions"][number] =>
  action.name === "notify"
    ? { kind: "notify", notices: lowerNotices(action, draft) }
    : { kind: "script", script: lowerScript(action, draft, { id: actionId(action), sees }) };

const SILENT: ReadonlySet<Kind> = new Set(["parallel", "fork", "unknown"]);

/** What has been made by the time a hook is told cannot be said: every output may be there. */
function outputsOf(draft: Draft): Sees {
  const kinds = idsOf(draft.document);
  return (id) => !SILENT.has(kinds.get(id) ?? "unknown");
}
