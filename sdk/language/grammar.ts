/** `later`: part of WOML 1.0, not run by this version. */
export type AttributeUse = "required" | "optional" | "later";
export interface Form {
  readonly attributes: Readonly<Record<string, AttributeUse>>;
  readonly children: readonly string[];
}

const NAMED = { name: "optional", description: "optional" } as const;
const FLOW = ["step", "parallel", "choose"];
const RETRY = { retry: "optional", "retry-backoff": "optional", "retry-delay": "optional", "retry-max-delay": "optional" } as const;

/** The elements this version runs. */
const FORMS: Readonly<Record<string, Form>> = {
  woml: { attributes: {}, children: ["imports", "workflow"] },
  imports: { attributes: {}, children: ["uses"] },
  uses: { attributes: { capability: "required", version: "required", as: "required" }, children: [] },
  workflow: { attributes: { id: "required", ...NAMED, version: "optional", tags: "later" }, children: ["config", "triggers", "steps"] },
  config: { attributes: { timeout: "optional", concurrency: "later", "rate-limit": "later", queue: "later" }, children: [] },
  triggers: { attributes: {}, children: ["manual"] },
  manual: { attributes: { id: "required" }, children: [] },
  steps: { attributes: {}, children: FLOW },
  step: { attributes: { id: "required", ...NAMED, ...RETRY, timeout: "later" }, children: ["script"] },
  script: { attributes: {}, children: [] },
  parallel: { attributes: { id: "required", ...NAMED, "on-error": "optional", concurrency: "later" }, children: ["step"] },
  choose: { attributes: { id: "required", ...NAMED }, children: ["when", "otherwise"] },
  when: { attributes: { test: "required" }, children: [...FLOW, "result"] },
  otherwise: { attributes: {}, children: [...FLOW, "result"] },
  result: { attributes: { value: "required" }, children: [] },
};

/** The rest of WOML 1.0. */
const LATER: ReadonlySet<string> = new Set(
  [
    "module props prop provider lifecycle",
    "on-start on-success on-error on-cancel on-complete on-step-start on-step-success on-step-failure on-step-complete",
    "webhook schedule interval event schema slack telegram discord whatsapp",
    "switch case default fork branch for-each approval when-approved when-rejected notify",
  ].flatMap((line) => line.split(" ")),
);

const forms = new Map(Object.entries(FORMS));
const uses = new Map(Object.entries(FORMS).map(([name, form]) => [name, new Map(Object.entries(form.attributes))]));

export const formOf = (element: string): Form | undefined => forms.get(element);
export const isLater = (element: string): boolean => LATER.has(element);
export const attributeUse = (element: string, attribute: string): AttributeUse | undefined => uses.get(element)?.get(attribute);
export const RETRY_ATTRIBUTES: readonly string[] = Object.keys(RETRY);
