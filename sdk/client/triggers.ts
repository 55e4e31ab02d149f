import type { RunView } from "@woml/run";
import { connection, type Edges } from "./answer.ts";
import type { Field } from "./field.ts";
import * as queries from "./queries.ts";
import type { Page, PageAsk } from "./types.ts";

type Json = RunView["payload"];

/** `active` is a version's id; null when none is. `name` is that of the active version. */
export interface Workflow {
  readonly id: string;
  readonly name: string | null;
  readonly active: string | null;
}
/** What starts runs of a workflow's active version. Times are ISO 8601 in UTC; what does not belong to its kind is null, or empty. */
export interface Trigger {
  readonly id: string;
  readonly workflow: string;
  readonly kind: "manual" | "webhook" | "schedule" | "interval" | "signal";
  readonly version: string;
  readonly url: string | null;
  readonly signal: string | null;
  readonly cron: string | null;
  readonly timezone: string | null;
  readonly everyMs: number | null;
  readonly onMissed: "skip" | "run-once" | null;
  readonly secrets: readonly string[];
  readonly setting: Json;
  readonly since: string;
  /** The next five, of a schedule or an interval. */
  readonly nextFires: readonly string[];
  /** What came last, or was missed. */
  readonly lastDelivery: {
    readonly outcome: string;
    readonly code: string | null;
    readonly at: string;
    readonly run: string | null;
  } | null;
}
/** `setting` takes the place of what was set; null takes that back. */
export interface SetTriggerInput {
  readonly workflow: string;
  readonly trigger: string;
  readonly setting: Json;
}
/** `changed` is false when it was so before. */
interface Activation {
  readonly workflow: Workflow;
  readonly changed: boolean;
}
/** Which versions are started, and by what. */
export interface TriggersClient {
  workflows(ask?: PageAsk): Promise<Page<Workflow>>;
  /** By a version's id, also an old one. */
  activate(version: string): Promise<Activation>;
  /** By the workflow's id. */
  deactivate(workflow: string): Promise<Activation>;
  /** Of one workflow where it is named. */
  triggers(ask?: PageAsk & { readonly workflow?: string }): Promise<Page<Trigger>>;
  /** null: no version that has it is active; the setting stands all the same. */
  setTrigger(input: SetTriggerInput): Promise<Trigger | null>;
}

type Shown = Omit<Workflow, "active"> & { readonly active: { readonly id: string } | null };
const workflowOf = ({ active, ...rest }: Shown): Workflow => ({ ...rest, active: active?.id ?? null });

export function openTriggers(field: Field): TriggersClient {
  const change = async (name: string, query: string, input: object): Promise<Activation> => {
    const { workflow, changed } = await field<{ workflow: Shown; changed: boolean }>(name, query, { input });
    return { workflow: workflowOf(workflow), changed };
  };
  return {
    workflows: async (wanted = {}) => {
      const page = connection(await field<Edges<Shown>>("workflows", queries.WORKFLOWS, { ...wanted }));
      return { ...page, items: page.items.map(workflowOf) };
    },
    activate: (version) => change("activate", queries.ACTIVATE, { version }),
    deactivate: (workflow) => change("deactivate", queries.DEACTIVATE, { workflow }),
    triggers: async (wanted = {}) => connection(await field<Edges<Trigger>>("triggers", queries.TRIGGERS, { ...wanted })),
    setTrigger: async (input) => (await field<{ trigger: Trigger | null }>("setTrigger", queries.SET_TRIGGER, { input })).trigger,
  };
}
