import type { Definition, Node } from "./definition.ts";
import type { Notice } from "./node/notice.ts";
import type { Trigger } from "./trigger.ts";
import { pointer } from "./violation.ts";

/** Parts of the language that a definition can hold, and how an author writes them. */
export const FEATURES = {
  "call-only": "A workflow without <triggers>",
  "choose-without-id": "<choose> without an id",
  switch: "<switch>",
  "parallel-concurrency": "The attribute concurrency of <parallel>",
  "parallel-wait-all": 'on-error="wait-all" of <parallel>',
  fork: "<fork>",
  "for-each": "<for-each>",
  approval: "<approval>",
  "reusable-step": "A step of a reusable definition",
  modules: "<module>",
  lifecycle: "A hook of <lifecycle>",
  concurrency: "The attribute concurrency of <config>",
  "rate-limit": "The attribute rate-limit of <config>",
  queue: "The attribute queue of <config>",
  webhook: "<webhook>",
  schedule: "<schedule>",
  interval: "<interval>",
  signal: "<event>",
  slack: "<slack>",
  telegram: "<telegram>",
  discord: "<discord>",
  whatsapp: "<whatsapp>",
  "custom-provider": "A notification provider of a reusable definition",
  state: "services.state in a script",
  events: "services.events in a script",
  workflows: "services.workflows in a script",
} as const;
export type Feature = keyof typeof FEATURES;

/** Of these, what the engine runs. */
const RUNS: ReadonlySet<Feature> = new Set<Feature>([
  // One a line.
  "call-only",
  "choose-without-id",
  "switch",
  "parallel-concurrency",
  "parallel-wait-all",
  "fork",
  "for-each",
  "approval",
  "state",
  "workflows",
  "modules",
  "reusable-step",
  "lifecycle",
  "custom-provider",
  "signal",
  "events",
  "webhook",
  "schedule",
  "interval",
  "concurrency",
  "rate-limit",
  "queue",
]);
/** The one table of what the engine cannot run yet: publish refuses it by name. A definition that holds none of it can be run whole. */
export const NOT_YET: ReadonlySet<Feature> = new Set((Object.keys(FEATURES) as Feature[]).filter((feature) => !RUNS.has(feature)));

/** What is run, for whoever is told that something is not. */
export const RUNS_TODAY =
  "Every element of a flow (<step>, <parallel>, <choose>, <switch>, <fork>, <for-each>, <approval>), <lifecycle>, <config>, modules and reusable definitions, manual triggers, webhooks, schedules and intervals, and calls of http, fetch, state, events, workflows and capabilities (<uses>) are run today.";

/** Where a feature stands: `path` is a JSON pointer into the definition, `subject` names it for whoever has the source (`<kind>:<id>`). */
export interface Unsupported {
  readonly feature: Feature;
  readonly what: string;
  readonly path: string;
  readonly subject: string;
}

type Found = readonly [feature: Feature, path: string, subject: string];

/** What of an accepted definition the engine cannot run, once a place, in the order of the definition. Empty: it can be published. */
export const unsupported = (definition: Definition): readonly Unsupported[] =>
  featuresIn(definition).filter(({ feature }) => NOT_YET.has(feature));

/** All that an accepted definition holds of FEATURES, once a place, in the order of the definition. */
export function featuresIn(definition: Definition): readonly Unsupported[] {
  const found = new Map<string, Unsupported>();
  for (const [feature, path, subject] of features(definition)) {
    const key = `${feature} ${subject}`;
    if (!found.has(key)) found.set(key, { feature, what: FEATURES[feature], path, subject });
  }
  return [...found.values()];
}

function* features({ policy, uses, modules, triggers, lifecycle, nodes }: Definition): Generator<Found> {
  for (const [key, feature] of POLICIES) if (policy?.[key] !== undefined) yield [feature, `/policy/${key}`, `policy:${feature}`];
  for (const [at, { alias, capability }] of (uses ?? []).entries()) {
    if (isOwn(capability)) yield [capability, `/uses${pointer(at)}`, `use:${alias}`];
  }
  for (const [at, { digest }] of (modules ?? []).entries()) yield ["modules", `/modules${pointer(at)}`, `module:${digest}`];
  if (triggers.length === 0) yield ["call-only", "/triggers", "workflow"];
  for (const [at, { id, kind }] of triggers.entries()) {
    if (kind !== "manual") yield [kind satisfies Exclude<Trigger["kind"], "manual">, `/triggers${pointer(at)}`, `trigger:${id}`];
  }
  for (const [at, { on, actions }] of (lifecycle ?? []).entries()) {
    yield ["lifecycle", `/lifecycle${pointer(at)}`, `hook:${on}`];
    for (const [nth, action] of actions.entries()) {
      if (action.kind === "notify")
        yield* ofNotices(action.notices, `/lifecycle${pointer(at)}/actions${pointer(nth)}`, `hook:${on}:${nth + 1}`);
    }
  }
  yield* ofNodes(nodes, "/nodes");
}

const POLICIES = [
  ["concurrency", "concurrency"],
  ["rateLimit", "rate-limit"],
  ["queue", "queue"],
] as const;

/** Capabilities of the platform's own, performed by the engine and not by a plugin: nobody grants them. */
export const isOwn = (capability: string): capability is "state" | "events" | "workflows" => /^(state|events|workflows)$/.test(capability);

function* ofNodes(nodes: readonly Node[], path: string): Generator<Found> {
  const selected = new Set(nodes.flatMap((node) => (node.kind === "select" ? node.choice : [])));
  for (const [at, node] of nodes.entries()) yield* ofNode(node, path + pointer(at), selected);
}

function* ofNode(node: Node, path: string, selected: ReadonlySet<string>): Generator<Found> {
  const found = (feature: Feature): Found => [feature, path, `node:${node.id}`];
  if (node.kind === "step" && node.reusable) yield found("reusable-step");
  if (node.kind === "switch" || node.kind === "fork" || node.kind === "approval" || node.kind === "for-each") yield found(node.kind);
  if (node.kind === "choice" && !node.results && selected.has(node.id)) yield found("choose-without-id");
  if (node.kind === "parallel" && node.concurrency !== undefined) yield found("parallel-concurrency");
  if (node.kind === "parallel" && node.onError !== undefined) yield found("parallel-wait-all");
  if (node.kind === "approval") yield* ofNotices(node.notices ?? [], path, node.id);
  if (node.kind === "for-each") yield* ofNodes(node.body.nodes, `${path}/body/nodes`);
}

function* ofNotices(notices: readonly Notice[], path: string, owner: string): Generator<Found> {
  for (const [at, { provider }] of notices.entries()) {
    yield [provider === "custom" ? "custom-provider" : provider, `${path}/notices${pointer(at)}`, `notice:${owner}:${at + 1}`];
  }
}
