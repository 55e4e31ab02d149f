/**
 * A document played from its text to its end, in one process: compiled, decided and folded as the platform does it, its scripts run as plain
 * functions. For sentences of the language about what happens in a run; how a script is confined is no part of it.
 */
import { createContext, runInContext } from "node:vm";
import { Play } from "@woml/engine/testing";
import { compile } from "@woml/language";
import { accept, type Json } from "@woml/model";
import { contextText, type Failure, lifecycleFor, messageFor, propsFor, taskAt } from "@woml/run";

export interface Document {
  readonly steps: string;
  /** Imports, `<config>`, `<lifecycle>`. */
  readonly imports?: string;
  readonly around?: string;
  /** Reusable definitions, by path. */
  readonly files?: Readonly<Record<string, string>>;
  readonly payload?: Json;
  /** What takes its time: sites that answer only when nothing else is in flight. */
  readonly slow?: readonly string[];
  /** What a person says to an approval, once nothing else can happen. */
  readonly says?: Readonly<Record<string, "approved" | "rejected">>;
  /** Called before each answer with the site that answers; what it does comes first. */
  readonly before?: (play: Play, site: string) => void;
}
export interface Enacted {
  readonly play: Play;
  /** `succeeded`, `failed`, `cancelled`, or `waiting` for somebody. */
  readonly status: string;
  readonly result: Json | undefined;
  readonly code: string | undefined;
  /** Attempts in the order in which they answered. */
  readonly ran: readonly string[];
  /** What the last attempt at each site was given. */
  readonly given: Readonly<Record<string, Given>>;
}
interface Given {
  readonly context: { readonly steps: Readonly<Record<string, Json>> };
  readonly attempt: { readonly number: number; readonly maxAttempts: number };
  readonly props: Json;
  readonly lifecycle: Json;
  readonly notification: { readonly message: string } | null;
}

const MISSING: Failure = { code: "WOML_REFERENCE_NOT_AVAILABLE", kind: "reference_not_available", message: "" };

export const step = (id: string, script = `return "${id}";`, more = ""): string =>
  `<step id="${id}"${more}><script>${script}</script></step>`;

export function enact(document: Document): Enacted {
  const play = new Play(definitionOf(document));
  const ran: string[] = [];
  const given: Record<string, Given> = {};
  play.admit(document.payload ?? {});
  const waits = new Set<string>();
  while (play.state.ended === null) {
    const site = nextOf(play, document.slow ?? []);
    if (site === null) {
      if (!moveOn(play, document, waits)) break;
      continue;
    }
    document.before?.(play, site);
    if (!play.flying.some((flying) => flying.startsWith(`${site}#`))) continue;
    ran.push(`${site}#${play.state.steps.get(site)?.attempt}`);
    const bound = bindingsOf(play, site);
    if (bound === null) play.bad(site, MISSING);
    else perform(play, site, bound);
    if (bound !== null) given[site] = bound;
  }
  const { outcome, ended } = play.state;
  const code = outcome?.status === "failed" ? outcome.failure.code : undefined;
  const result = outcome?.status === "succeeded" ? outcome.result : undefined;
  return { play, status: ended === null ? "waiting" : (outcome?.status ?? ""), result, code, ran, given };
}

function definitionOf({ steps, imports = "", around = "", files = {} }: Document) {
  const head = imports === "" ? "" : `<imports>${imports}</imports>`;
  const text = `<woml>${head}<workflow id="w">${around}<triggers><manual id="go"/></triggers><steps>${steps}</steps></workflow></woml>`;
  const { definition, diagnostics } = compile({ path: "w.woml", text }, { files: new Map(Object.entries(files)), modules: new Map() });
  if (definition === null) throw new Error(JSON.stringify(diagnostics.filter(({ severity }) => severity === "error")));
  const accepted = accept(definition);
  if ("violations" in accepted) throw new Error(JSON.stringify(accepted.violations));
  return accepted.definition;
}

function nextOf(play: Play, slow: readonly string[]): string | null {
  const sites = play.flying.map((flying) => flying.slice(0, flying.lastIndexOf("#")));
  return sites.find((site) => !slow.includes(site)) ?? sites[0] ?? null;
}

/** Lets a person speak, or time pass. */
function moveOn(play: Play, { says = {} }: Document, said: Set<string>): boolean {
  const asked = Object.entries(says).find(([node]) => !said.has(node) && play.state.approvals.get(node)?.status === "waiting");
  if (asked !== undefined) {
    said.add(asked[0]);
    play.decide(asked[0], asked[1]);
    return true;
  }
  const at = play.nextAt;
  if (at === null) return false;
  play.now = Math.max(play.now, at);
  play.fire();
  return true;
}

function bindingsOf({ graph, state }: Play, site: string): Given | null {
  const task = taskAt(graph, site);
  const context: Given["context"] = JSON.parse(contextText(graph, state, site));
  const bound = propsFor(graph, state, task, (secret) => `secret ${secret}`);
  if ("missing" in bound) return null;
  const said = messageFor(graph, state, task);
  if ("wrong" in said && task.role === "notice" && task.event !== "notice") return null;
  const message = "message" in said ? said.message : null;
  const { attempt = 1 } = state.steps.get(site) ?? {};
  const lifecycle = task.role === "action" ? lifecycleFor(graph, state, task) : null;
  return {
    context,
    attempt: { number: attempt, maxAttempts: task.retry?.maxAttempts ?? 1 },
    props: bound.props,
    lifecycle,
    notification: message === null ? null : { message },
  };
}

function perform(play: Play, site: string, given: Given): void {
  const { source } = taskAt(play.graph, site).script;
  try {
    const names = Object.keys(given);
    const sandbox = createContext({ given });
    const text = `JSON.stringify((function (${names.join(",")}) {"use strict";${source}\n})(${names.map((name) => `given.${name}`).join(",")}) ?? null)`;
    play.ok(site, JSON.parse(runInContext(text, sandbox)));
  } catch (error) {
    play.bad(site, thrown(error));
  }
}

function thrown(error: unknown): Failure {
  const message = typeof error === "object" && error !== null && "message" in error ? String(error.message) : String(error);
  return { code: "WOML_SCRIPT_THROWN", kind: "script_threw", message };
}
