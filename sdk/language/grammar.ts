import type { Element } from "./tree.ts";

/** `later`: a word that WOML 1.0 keeps for later. */
export type AttributeUse = "required" | "optional" | "later";
export interface Form {
  readonly attributes: Readonly<Record<string, AttributeUse>>;
  readonly children: readonly string[];
}

const NAMED = { name: "optional", description: "optional" } as const;
const RETRY = { retry: "optional", "retry-backoff": "optional", "retry-delay": "optional", "retry-max-delay": "optional" } as const;
const ITEM = { id: "required", ...NAMED } as const;
const CREDENTIALS = { "bot-token": "required", "app-token": "required" } as const;

/** What may stand in a flow, tags of reusable steps apart. */
export const FLOW: readonly string[] = ["step", "parallel", "choose", "switch", "fork", "branch", "for-each", "approval"];
const ARM = [...FLOW, "result"];
const RUN_HOOKS = ["on-start", "on-success", "on-error", "on-cancel", "on-complete"];
const STEP_HOOKS = ["on-step-start", "on-step-success", "on-step-failure", "on-step-complete"];
const PROVIDERS = ["slack", "telegram", "discord", "whatsapp"];
const TRIGGERS = ["manual", "webhook", "schedule", "interval", "event", ...PROVIDERS];

const form = (attributes: Form["attributes"], children: readonly string[] = []): Form => ({ attributes, children });
const hooks = (names: readonly string[], attributes: Form["attributes"]): Record<string, Form> =>
  Object.fromEntries(names.map((name) => [name, form(attributes, ["script", "notify"])]));

/** Every element of the language. `<parent>/<name>` where an element is another one below this parent. */
const FORMS: Readonly<Record<string, Form>> = {
  woml: form({}, ["imports", "props", "workflow", "step", "provider", "lifecycle"]),
  imports: form({}, ["uses", "module"]),
  uses: form({ capability: "required", version: "required", as: "required" }),
  module: form({ name: "required", from: "required" }),
  props: form({}, ["prop"]),
  prop: form({ name: "required", required: "optional", secret: "optional" }),
  "woml/step": form({ ...NAMED }, ["script"]),
  provider: form({ kind: "required" }, ["script"]),
  workflow: form({ ...ITEM, version: "optional", tags: "later" }, ["config", "lifecycle", "triggers", "steps"]),
  config: form({ concurrency: "optional", timeout: "optional", "rate-limit": "optional", queue: "optional" }),
  lifecycle: form({}, [...RUN_HOOKS, ...STEP_HOOKS]),
  ...hooks(RUN_HOOKS, {}),
  ...hooks(STEP_HOOKS, { steps: "optional" }),
  triggers: form({}, TRIGGERS),
  manual: form({ id: "required" }),
  webhook: form({ id: "required", path: "required", method: "optional", auth: "required", secret: "optional" }, ["schema"]),
  schedule: form({ id: "required", cron: "required", timezone: "optional", "on-missed": "optional" }),
  interval: form({ id: "required", every: "required", "on-missed": "optional" }),
  event: form({ id: "required", name: "required", secret: "optional" }, ["schema"]),
  schema: form({}),
  slack: form({ id: "required", events: "required", channels: "optional", ...CREDENTIALS }),
  telegram: form({ id: "required", events: "required", "bot-token": "required" }),
  discord: form({ id: "required", events: "required", channels: "optional", "bot-token": "required" }),
  whatsapp: form({
    ...{ id: "required", events: "required", "phone-number-id": "required" },
    ...{ "verify-token": "required", "app-secret": "required" },
  }),
  "notify/slack": form({ channels: "required", ...CREDENTIALS, message: "optional" }),
  "notify/telegram": form({ chats: "required", "bot-token": "required", message: "optional" }),
  "notify/discord": form({ channels: "required", "bot-token": "required", message: "optional" }),
  "notify/whatsapp": form({
    ...{ recipients: "required", "access-token": "required", "phone-number-id": "required" },
    ...{ template: "required", language: "required", message: "optional" },
  }),
  steps: form({}, FLOW),
  step: form({ ...ITEM, ...RETRY, timeout: "later" }, ["script"]),
  script: form({}),
  parallel: form({ ...ITEM, "on-error": "optional", concurrency: "optional" }, ["step"]),
  choose: form({ ...ITEM, id: "optional" }, ["when", "otherwise"]),
  when: form({ test: "required" }, ARM),
  otherwise: form({}, ARM),
  switch: form({ ...ITEM, id: "optional", value: "required" }, ["case", "default"]),
  case: form({ value: "required" }, ARM),
  default: form({}, ARM),
  result: form({ value: "required" }),
  fork: form({ id: "required", join: "optional" }, ["branch"]),
  "fork/branch": form({ id: "required" }, FLOW),
  /** An older word for a choose with an id. */
  branch: form({ ...ITEM }, ["when", "otherwise"]),
  "for-each": form({ ...ITEM, items: "required", concurrency: "optional" }, ARM),
  approval: form({ ...ITEM, timeout: "optional", "on-timeout": "optional" }, ["notify", "when-approved", "when-rejected"]),
  "when-approved": form({}, FLOW),
  "when-rejected": form({}, FLOW),
  notify: form({}, PROVIDERS),
};

const forms = new Map(Object.entries(FORMS));
const uses = new Map(Object.entries(FORMS).map(([name, { attributes }]) => [name, new Map(Object.entries(attributes))]));
const names = new Set([...forms.keys()].map((key) => key.slice(key.indexOf("/") + 1)));

type Placed = Pick<Element, "name" | "parent">;

/** By name, the parents below which an element is another one, each with its key. */
const placed = new Map(
  [
    ...Map.groupBy(
      [...forms.keys()].filter((key) => key.includes("/")),
      (key) => key.slice(key.indexOf("/") + 1),
    ),
  ].map(([name, keys]) => [name, new Map(keys.map((key) => [key.slice(0, key.indexOf("/")), key]))] as const),
);

const keyOf = ({ name, parent }: Placed): string => placed.get(name)?.get(parent?.name ?? "") ?? name;

/** What an element may have and hold where it stands; undefined for a tag that is not of the language. */
export const formOf = (element: Placed): Form | undefined => forms.get(keyOf(element));
/** A word that the language keeps, though nothing may be called by it. */
export const KEPT_WORD = "on-failure";
/** Whether a name is one of the language's, wherever it may stand. */
export const isElementName = (name: string): boolean => names.has(name) || name === KEPT_WORD;
export const ELEMENT_NAMES: ReadonlySet<string> = names;
export const attributeUse = (element: Placed, attribute: string): AttributeUse | undefined => uses.get(keyOf(element))?.get(attribute);
export const RETRY_ATTRIBUTES: readonly string[] = Object.keys(RETRY);
