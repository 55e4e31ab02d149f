// values.yaml, values.schema.json, the chart's README and the settings' own defaults say the same.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { SETTINGS } from "@woml/boot";
import { parse } from "yaml";
import { ROOT } from "../support/platform.ts";

interface Said {
  readonly name: string;
  readonly figure: string;
  readonly faults: readonly string[];
}
type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };
interface Schema {
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: unknown;
  readonly definitions?: Readonly<Record<string, Schema>>;
}

const CHART = join(ROOT, "charts", "woml");
const TEMPLATES = readdirSync(join(CHART, "templates"), { recursive: true, encoding: "utf8" }).filter((path) =>
  /\.(tpl|yaml|txt)$/.test(path),
);
/** What would make one, or ask a cluster for one: drawn anew at each render, or other than what `helm template` shows. */
const SECRETIVE =
  /kind: (Secret|ConfigMap)\b|\b(lookup|randAlpha\w*|genPrivateKey|genCA|genSelfSignedCert|derivePassword|htpasswd|uuidv4|now)\b/;
/** In the README one row stands for all of these. */
const GROUPS: Readonly<Record<string, readonly string[]>> = {
  POD: ["control", "engine", "sandbox", "pluginHost", "migrate", "smoke"],
  SERVER: ["control", "engine", "sandbox", "pluginHost"],
};
/** Where the chart's default is the process's own. */
const SAME: Readonly<Record<string, keyof typeof SETTINGS>> = {
  log: "WOML_LOG",
  "engine.leaseMs": "WOML_LEASE_MS",
  "engine.clockBoundMs": "WOML_CLOCK_BOUND_MS",
  "engine.drivenMax": "WOML_DRIVEN_MAX",
  "engine.graceMs": "WOML_GRACE_MS",
  "engine.drainDelayMs": "WOML_DRAIN_DELAY_MS",
  "pluginHost.processes": "WOML_PLUGIN_PROCESSES",
};

export function documented(): readonly Said[] {
  const values = leavesOf(parse(readFileSync(join(CHART, "values.yaml"), "utf8")));
  const schema: Schema = JSON.parse(readFileSync(join(CHART, "values.schema.json"), "utf8"));
  const known = new Set(pathsOf(schema, schema));
  const rows = rowsOf(readFileSync(join(CHART, "README.md"), "utf8"));
  const names = [...values.keys()];
  return [
    said("values in the schema", names.length, [
      ...names.filter((path) => !known.has(path)).map((path) => `${path} is not in values.schema.json`),
      // Of an umbrella chart's condition; a value of ours has a default.
      ...[...known].filter((path) => !values.has(path) && path !== "enabled").map((path) => `${path} is not in values.yaml`),
    ]),
    said("values in the README", names.length, [
      ...names.filter((path) => rows.get(path) === undefined).map((path) => `README.md has no row ${path}`),
      ...names.flatMap((path) => otherwise(path, rows.get(path), values.get(path) ?? null)),
      ...[...rows.keys()].filter((path) => !values.has(path)).map((path) => `README.md has a row ${path}, which is no value`),
    ]),
    said("version", 1, released()),
    said("templates make no secret", TEMPLATES.length, TEMPLATES.flatMap(secretive)),
    said(
      "defaults of the processes",
      Object.keys(SAME).length,
      Object.entries(SAME).flatMap(([path, name]) => apart(path, name, values)),
    ),
  ];
}

/** The image's usual tag is the chart's appVersion. */
function released(): readonly string[] {
  const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  const chart = parse(readFileSync(join(CHART, "Chart.yaml"), "utf8"));
  return chart.appVersion === version && chart.version === version ? [] : [`Chart.yaml is not of version ${version}`];
}

function secretive(path: string): readonly string[] {
  const [found] = SECRETIVE.exec(readFileSync(join(CHART, "templates", path), "utf8")) ?? [];
  return found === undefined ? [] : [`${path} says ${found}`];
}

const said = (name: string, count: number, faults: readonly string[]): Said => ({ name, figure: `${count} looked at`, faults });

function apart(path: string, name: keyof typeof SETTINGS, values: ReadonlyMap<string, Json>): readonly string[] {
  const one: { readonly says: string; readonly usual?: unknown } = SETTINGS[name];
  return String(values.get(path)) === one.usual ? [] : [`${path} is ${values.get(path)}, ${name} is ${one.usual}`];
}

/** Objects that hold something are gone into; empty ones and lists are values. */
function leavesOf(value: Json, path = ""): Map<string, Json> {
  const isOpen = typeof value === "object" && value !== null && !Array.isArray(value) && Object.keys(value).length > 0;
  if (!isOpen) return new Map([[path, value]]);
  return new Map(Object.entries(value).flatMap(([name, member]) => [...leavesOf(member, path === "" ? name : `${path}.${name}`)]));
}

/** As far as the schema is closed; resources may hold more than is usual. */
function pathsOf(schema: Schema, root: Schema, path = ""): readonly string[] {
  const here = schema.$ref === undefined ? schema : (root.definitions?.[schema.$ref.replace("#/definitions/", "")] ?? {});
  if (here.properties === undefined) return [path];
  return Object.entries(here.properties)
    .flatMap(([name, member]) => pathsOf(member, root, path === "" ? name : `${path}.${name}`))
    .filter((one) => !/resources\.(limits\.cpu|\w+\.ephemeral-storage)$/.test(one));
}

/** Path → default, as its row says; "" where a row of several says that defaults differ. */
function rowsOf(readme: string): ReadonlyMap<string, string> {
  const rows = new Map<string, string>();
  for (const [, path = "", usual = ""] of readme.matchAll(/^\| `([A-Za-z.]+)` +\| (.*?) +\| /gm)) {
    const [first = "", ...rest] = path.split(".");
    for (const group of GROUPS[first] ?? [first]) rows.set([group, ...rest].join("."), usual.replaceAll("`", ""));
  }
  return rows;
}

function otherwise(path: string, row: string | undefined, value: Json): readonly string[] {
  if (row === undefined || row === "see there") return [];
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return row === text ? [] : [`${path} is ${text}, README.md says ${row}`];
}
