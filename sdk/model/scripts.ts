import type { Hook } from "./lifecycle.ts";
import type { Notice } from "./node/notice.ts";
import type { Reusable, Script } from "./node/script.ts";
import { flowsOf, type Outline } from "./outline.ts";
import { pointer } from "./violation.ts";

/** A part of a definition that can stand in several places. `owner` names whose it is, for messages. */
export interface Placed<T> {
  readonly part: T;
  readonly path: string;
  readonly owner: string;
}
/** A notice of an approval, or of a hook. */
export type PlacedNotice = Placed<Notice> & { readonly hook: Hook | null };

/** Notices of every approval and every hook. */
export function* noticesOf(whole: Outline): Generator<PlacedNotice> {
  for (const node of whole.flow.nodes) {
    if (node.kind !== "approval") continue;
    for (const [at, part] of (node.notices ?? []).entries()) {
      yield { part, path: `${whole.nodePath(node.id)}/notices${pointer(at)}`, owner: node.id, hook: null };
    }
  }
  for (const { part: hook, path, owner } of hooksOf(whole)) {
    for (const [at, action] of hook.actions.entries()) {
      if (action.kind !== "notify") continue;
      for (const [nth, part] of action.notices.entries()) {
        yield { part, path: `${path}/actions${pointer(at)}/notices${pointer(nth)}`, owner, hook };
      }
    }
  }
}

export function* hooksOf({ definition }: Outline): Generator<Placed<Hook>> {
  for (const [at, part] of (definition.lifecycle ?? []).entries()) {
    yield { part, path: `/lifecycle${pointer(at)}`, owner: `the hook of ${part.on}` };
  }
}

/** Everything that came of a reusable definition, with its main script. */
export function* reusablesOf(whole: Outline): Generator<Placed<{ readonly reusable: Reusable; readonly script: Script }>> {
  for (const flow of flowsOf(whole)) {
    for (const node of flow.flow.nodes) {
      if (node.kind !== "step" || !node.reusable) continue;
      yield { part: { reusable: node.reusable, script: node.script }, path: flow.nodePath(node.id), owner: node.id };
    }
  }
  for (const { part, path, owner } of noticesOf(whole)) if (part.provider === "custom") yield { part, path, owner };
}

/** Every script of a definition: of steps, of what is reusable and its own lifecycle, of hooks. */
export function* scriptsOf(whole: Outline): Generator<Placed<Script>> {
  for (const flow of flowsOf(whole)) {
    for (const node of flow.flow.nodes) {
      if (node.kind === "step" && !node.reusable) yield { part: node.script, path: `${flow.nodePath(node.id)}/script`, owner: node.id };
    }
  }
  for (const placed of reusablesOf(whole)) yield* scriptsOfReusable(placed);
  for (const { part: hook, path, owner } of hooksOf(whole)) {
    for (const [at, action] of hook.actions.entries()) {
      if (action.kind === "script") yield { part: action.script, path: `${path}/actions${pointer(at)}/script`, owner };
    }
  }
}

const OWN_LIFECYCLE = ["onSuccess", "onError", "onComplete"] as const;

/** The main script of something reusable, then those of its own lifecycle. */
export function* scriptsOfReusable({
  part: { script, reusable },
  path,
  owner,
}: Placed<{ readonly reusable: Reusable; readonly script: Script }>): Generator<Placed<Script>> {
  yield { part: script, path: `${path}/script`, owner };
  for (const event of OWN_LIFECYCLE) {
    for (const [at, part] of (reusable[event] ?? []).entries()) yield { part, path: `${path}/reusable/${event}${pointer(at)}`, owner };
  }
}
