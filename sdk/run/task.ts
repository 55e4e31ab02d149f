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
/** Events of the own lifecycle of what is reusable. */
export type OwnEvent = keyof typeof OWN;

/** What runs at `site`. Throws for one at which nothing does. */
export function taskAt(graph: Graph, site: string): Task {
  if (!isAction(site)) return stepTask(graph, site);
  const at = actionSite(site);
  if (at === null) throw new Error(`${site} is no site`);
  const { event, subject, action } = at;
  if (isOwn(event)) return ownTask(graph, site, { event, subject: subject ?? "", nth: Number(action) - 1 });
  const notice = noticeAt(graph, site);
  if (notice?.provider === "custom")
    return { site, role: "notice", event, subject, script: notice.script, reusable: notice.reusable, retry: null, notice };
  const found = event === "notice" ? undefined : hookFor(graph, event as Hook["on"])?.actions[Number(action) - 1];
  if (found?.kind !== "script") throw new Error(`${site} runs no script`);
  return { site, role: "action", event, subject, script: found.script, reusable: null, retry: null, notice: null };
}

/** The notice that is sent at `site`, of an approval or a hook; null where none is. */
export function noticeAt(graph: Graph, site: string): Notice | null {
  const at = actionSite(site);
  if (at === null || isOwn(at.event)) return null;
  if (at.event === "notice") return noticesOf(graph, at.subject)[Number(at.action) - 1] ?? null;
  const [nth = 0, notice = 0] = at.action.split(".").map(Number);
  const found = hookFor(graph, at.event as Hook["on"])?.actions[nth - 1];
  return found?.kind === "notify" ? (found.notices[notice - 1] ?? null) : null;
}

/** What the own lifecycle of what ran at `subject`, a step or a notice, does at an event; nothing where it came from nothing reusable. */
export function ownScripts(graph: Graph, subject: string, event: OwnEvent): readonly Script[] {
  return reusableAt(graph, subject)?.[OWN[event]] ?? [];
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

function ownTask(graph: Graph, site: string, at: { readonly event: OwnEvent; readonly subject: string; readonly nth: number }): Task {
  const reusable = reusableAt(graph, at.subject);
  const script = reusable?.[OWN[at.event]]?.[at.nth];
  if (script === undefined) throw new Error(`${site} is no action`);
  return { site, role: "action", event: at.event, subject: at.subject, script, reusable, retry: null, notice: null };
}

function reusableAt(graph: Graph, site: string): Reusable | null {
  if (!isAction(site)) return stepTask(graph, site).reusable;
  const notice = noticeAt(graph, site);
  return notice?.provider === "custom" ? notice.reusable : null;
}

const isOwn = (event: string): event is OwnEvent => Object.hasOwn(OWN, event);

function noticesOf(graph: Graph, approval: string | null): readonly Notice[] {
  const node = approval === null ? undefined : graph.node(approval);
  return node?.kind === "approval" ? (node.notices ?? []) : [];
}
