import type { Graph, Hook, Notice, Retry, Reusable, Script } from "@woml/model";
import { actionSite, indexAt, isAction, nodeAt } from "./site.ts";

/** Something that runs a script at a site: a step, an action of a hook, or a notice by a provider of a reusable definition. */
export interface Task {
  readonly site: string;
  readonly role: "step" | "action" | "notice";
  /** `step_success` …, `use_error` …, `notice`; null for a step. */
  readonly event: string | null;
  /** What an action is about: the site of a step or an approval; null for the run. */
  readonly subject: string | null;
  readonly script: Script;
  /** It came from a reusable definition: it is given props. */
  readonly reusable: Reusable | null;
  readonly retry: Retry | null;
  /** The notice itself, of a notice. */
  readonly notice: Notice | null;
}

/** Delays before the second and third attempt of a notice, ms. */
export const NOTICE_DELAYS_MS: readonly number[] = [1_000, 5_000];

const OWN = { use_success: "onSuccess", use_error: "onError", use_complete: "onComplete" } as const;
type Own = keyof typeof OWN;

/** What runs at `site`. Throws for one at which nothing does. */
export function taskAt(graph: Graph, site: string): Task {
  if (!isAction(site)) return stepTask(graph, site);
  const at = actionSite(site);
  if (at === null) throw new Error(`${site} is no site`);
  const { event, subject, action } = at;
  if (event === "notice") return noticeTask(site, at, noticesOf(graph, subject)[Number(action) - 1]);
  if (event in OWN) return ownTask(graph, site, { event: event as Own, subject: subject ?? "", nth: Number(action) - 1 });
  const [nth = 0, notice = 0] = action.split(".").map(Number);
  const found = hookFor(graph, event as Hook["on"])?.actions[nth - 1];
  if (found?.kind === "notify") return noticeTask(site, at, found.notices[notice - 1]);
  if (found === undefined) throw new Error(`${site} is no action`);
  return { site, role: "action", event, subject, script: found.script, reusable: null, retry: null, notice: null };
}

/** The hook of an event, as the definition has it. */
export const hookFor = (graph: Graph, event: Hook["on"]): Hook | undefined => graph.definition.lifecycle?.find(({ on }) => on === event);

/** Numbers of a hook's actions, in their order: `1`, `2.1`, `2.2`, `3`. */
export const actionsOf = ({ actions }: Hook): readonly string[] =>
  actions.flatMap((action, at) => (action.kind === "script" ? [String(at + 1)] : action.notices.map((_, nth) => `${at + 1}.${nth + 1}`)));

function stepTask(graph: Graph, site: string): Task {
  const index = indexAt(site);
  const id = nodeAt(site);
  const node = (index === null ? graph : graph.body(graph.loopOf(id) ?? "")).node(id);
  if (node.kind !== "step") throw new Error(`${site} runs no script`);
  const { script, reusable = null, retry = null } = node;
  return { site, role: "step", event: null, subject: null, script, reusable, retry, notice: null };
}

function noticeTask(
  site: string,
  { event, subject }: { readonly event: string; readonly subject: string | null },
  notice: Notice | undefined,
): Task {
  if (notice?.provider !== "custom") throw new Error(`${site} is no notice that a script sends`);
  return { site, role: "notice", event, subject, script: notice.script, reusable: notice.reusable, retry: null, notice };
}

function ownTask(graph: Graph, site: string, at: { readonly event: Own; readonly subject: string; readonly nth: number }): Task {
  const { reusable } = taskAt(graph, at.subject);
  const script = reusable?.[OWN[at.event]]?.[at.nth];
  if (script === undefined) throw new Error(`${site} is no action`);
  return { site, role: "action", event: at.event, subject: at.subject, script, reusable, retry: null, notice: null };
}

function noticesOf(graph: Graph, approval: string | null): readonly Notice[] {
  const node = approval === null ? undefined : graph.node(approval);
  return node?.kind === "approval" ? (node.notices ?? []) : [];
}
