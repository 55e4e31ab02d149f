// A strict JSON Schema of what the chart may render, out of the models of Kubernetes' own client: no field that it does not know, none that it
// demands left out, no null. An API server would take some of that (it drops unknown fields with a warning); a chart has no need to.
import { readFileSync } from "node:fs";
import { Ajv, type ErrorObject, type ValidateFunction } from "ajv";
import { fromTgz } from "./archive.ts";
import { type Manifest, named } from "./manifest.ts";

interface Attribute {
  readonly name: string;
  readonly baseName: string;
  readonly type: string;
  readonly format: string;
}
type Schema = Readonly<Record<string, unknown>>;

/** apiVersion/kind → model. What is not here, the chart does not render. */
const KINDS: Readonly<Record<string, string>> = {
  "v1/Pod": "V1Pod",
  "v1/Secret": "V1Secret",
  "v1/ConfigMap": "V1ConfigMap",
  "v1/Service": "V1Service",
  "v1/ServiceAccount": "V1ServiceAccount",
  "apps/v1/Deployment": "V1Deployment",
  "batch/v1/Job": "V1Job",
  "networking.k8s.io/v1/Ingress": "V1Ingress",
  "networking.k8s.io/v1/NetworkPolicy": "V1NetworkPolicy",
  "policy/v1/PodDisruptionBudget": "V1PodDisruptionBudget",
};
const MODELS = "package/dist/gen/models/";
const QUANTITY = "^[+-]?[0-9]+(\\.[0-9]+)?(m|[kKMGTPE]i?)?$";
const PLAIN: Readonly<Record<string, Schema>> = {
  string: { type: "string" },
  number: { type: "integer" },
  boolean: { type: "boolean" },
  IntOrString: { type: ["integer", "string"] },
  Date: { type: "string" },
  V1MicroTime: { type: "string" },
  any: {},
  object: {},
};

export type Complain = (manifest: Manifest) => readonly string[];

/** Says what is wrong with an object, each with its path; [] where nothing is. */
export function strictModel(tgz: string): Complain {
  const files = fromTgz(readFileSync(tgz), (path) => path.startsWith(MODELS));
  const ajv = new Ajv({ strict: false, allErrors: true });
  ajv.addSchema({ $id: "model", definitions: definitionsOf(files) });
  const compiled = new Map<string, ValidateFunction>();
  return (manifest) => {
    const model = KINDS[`${manifest.apiVersion}/${manifest.kind}`];
    if (model === undefined) return [`${named(manifest)}: no ${manifest.apiVersion} ${manifest.kind} is expected`];
    const judge = compiled.get(model) ?? ajv.compile({ $ref: `model#/definitions/${model}` });
    compiled.set(model, judge);
    return judge(manifest) ? [] : (judge.errors ?? []).map((error) => `${named(manifest)} ${said(error)}`);
  };
}

function said({ instancePath, message = "", params }: ErrorObject): string {
  const stranger = "additionalProperty" in params ? ` ${params["additionalProperty"]}` : "";
  return `${instancePath} ${message}${stranger}`;
}

/** Of the kinds above, and of whatever they are made of. */
function definitionsOf(files: ReadonlyMap<string, Buffer>): Readonly<Record<string, Schema>> {
  const definitions: Record<string, Schema> = {};
  const waiting = Object.values(KINDS);
  for (let model = waiting.pop(); model !== undefined; model = waiting.pop()) {
    if (definitions[model] !== undefined) continue;
    definitions[model] = definitionOf(model, files);
    for (const [, other = ""] of JSON.stringify(definitions[model]).matchAll(/#\/definitions\/(\w+)/g)) waiting.push(other);
  }
  return definitions;
}

function definitionOf(model: string, files: ReadonlyMap<string, Buffer>): Schema {
  const source = files.get(`${MODELS}${model}.js`)?.toString() ?? "";
  const declared = files.get(`${MODELS}${model}.d.ts`)?.toString() ?? "";
  const [, list] = /attributeTypeMap = (\[.*?\n\]);/s.exec(source) ?? [];
  if (list === undefined) throw new Error(`Kubernetes' client has no model ${model} as it is read here.`);
  const attributes: readonly Attribute[] = JSON.parse(list);
  const demanded = new Set([...declared.matchAll(/^ {4}'(.+)': /gm)].map(([, name]) => name));
  return {
    type: "object",
    additionalProperties: false,
    properties: Object.fromEntries(attributes.map((one) => [one.baseName, typeOf(one.type, one.format)])),
    required: attributes.filter(({ name }) => demanded.has(name)).map(({ baseName }) => baseName),
    ...(model === "V1ResourceRequirements" && { properties: { limits: QUANTITIES, requests: QUANTITIES } }),
  };
}
const QUANTITIES: Schema = { type: "object", additionalProperties: { type: "string", pattern: QUANTITY } };

function typeOf(type: string, format = ""): Schema {
  const [, item] = /^(?:Array|Set)<(.+)>$/.exec(type) ?? [];
  if (item !== undefined) return { type: "array", items: typeOf(item) };
  const [, member] = /^\{ \[key: string\]: (.+); \}$/.exec(type) ?? [];
  if (member !== undefined) return { type: "object", additionalProperties: typeOf(member) };
  if (type === "number" && !format.startsWith("int")) return { type: "number" };
  return PLAIN[type] ?? { $ref: `#/definitions/${type}` };
}
