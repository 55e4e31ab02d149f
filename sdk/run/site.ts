/**
 * Where in a run something happens, as events name it (`node`):
 *
 *     charge                  a node
 *     charge#3                the same in iteration 3 (from 0) of its loop; loops do not nest
 *     @run_start/1            the first action of a hook of the lifecycle; @run_failure/2.1 the first notice of its second action
 *     @step_success/charge#3/1   of a hook that is about a step
 *     @use_error/charge/1     of the own lifecycle of what is reusable (`use_success`, `use_error`, `use_complete`)
 *     @notice/approve/1       a notice of an approval
 *
 * No id of a node holds `#`, `@` or `/`.
 */
export const siteIn = (node: string, index: number | null): string => (index === null ? node : `${node}#${index}`);

/** The id of the node, of a site that is one. */
export function nodeAt(site: string): string {
  const hash = site.indexOf("#");
  return hash < 0 ? site : site.slice(0, hash);
}

/** The iteration of a node's site, from 0; null outside loops. */
export function indexAt(site: string): number | null {
  const hash = site.indexOf("#");
  return hash < 0 ? null : Number(site.slice(hash + 1));
}

/** `@<event>`, or `@<event>/<subject>`: the site of what it is about. */
export const hookAt = (event: string, subject: string | null): string => (subject === null ? `@${event}` : `@${event}/${subject}`);
export const actionAt = (hook: string, action: string): string => `${hook}/${action}`;
export const isAction = (site: string): boolean => site.startsWith("@");

export interface ActionSite {
  /** As `hookAt` gives it. */
  readonly hook: string;
  readonly event: string;
  readonly subject: string | null;
  /** `2`, or `2.1` for the first notice of the second action; for a notice of an approval its number. Counted from 1. */
  readonly action: string;
}

/** Takes the site of an action apart; null for that of a node. */
export function actionSite(site: string): ActionSite | null {
  const [first, last] = [site.indexOf("/"), site.lastIndexOf("/")];
  if (!isAction(site) || first < 0) return null;
  const subject = first === last ? null : site.slice(first + 1, last);
  return { hook: site.slice(0, last), event: site.slice(1, first), subject, action: site.slice(last + 1) };
}

/** Takes a hook's name apart. */
export function hookOf(hook: string): { readonly event: string; readonly subject: string | null } {
  const slash = hook.indexOf("/");
  return slash < 0 ? { event: hook.slice(1), subject: null } : { event: hook.slice(1, slash), subject: hook.slice(slash + 1) };
}
