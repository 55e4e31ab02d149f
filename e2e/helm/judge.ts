// One chart under one file of values, looked at in the order in which a cluster would meet it: Helm, the shapes of objects, then what they mean.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { unset } from "./environment.ts";
import { containersOf, type Manifest, parseManifests, podsOf } from "./manifest.ts";
import { astray, cellsOf } from "./matrix.ts";
import type { Complain } from "./model.ts";
import { lint, type Said, template } from "./render.ts";
import { insecure } from "./security.ts";
import type { Helm } from "./tools.ts";
import { unwired } from "./wiring.ts";

export type Check = "lint" | "render" | "equal" | "schema" | "security" | "wiring" | "network" | "image" | "environment";
interface Finding {
  readonly check: Check;
  /** What was looked at, in numbers. */
  readonly figure: string;
  /** [] where nothing is wrong. */
  readonly faults: readonly string[];
}
export interface Judged {
  readonly findings: readonly Finding[];
  /** Of the first Helm; [] where it could not render. */
  readonly manifests: readonly Manifest[];
}
export interface Means {
  readonly helms: readonly Helm[];
  readonly complain: Complain;
}

export const valuesOf = (chart: string, values: string): string => join(chart, "ci", `${values}-values.yaml`);

export async function judge(chart: string, values: string, { helms, complain }: Means): Promise<Judged> {
  const asked = { chart, values: valuesOf(chart, values) };
  const linted = told("lint", helms, await each(helms, (helm) => lint(helm, asked)));
  if (linted.faults.length > 0) return { findings: [linted], manifests: [] };
  const rendered = await each(helms, (helm) => template(helm, asked));
  const findings = [linted, told("render", helms, rendered)];
  if (rendered.some(({ code }) => code !== 0)) return { findings, manifests: [] };
  findings.push(equal(rendered));
  const manifests = parseManifests(rendered[0]?.stdout ?? "");
  const misshapen = manifests.flatMap(complain);
  findings.push({ check: "schema", figure: `${manifests.length} objects`, faults: misshapen });
  if (misshapen.length > 0) return { findings, manifests };
  return { findings: [...findings, ...meaning(values, manifests, readFileSync(asked.values, "utf8"))], manifests };
}

function meaning(values: string, manifests: readonly Manifest[], text: string): readonly Finding[] {
  const pods = podsOf(manifests);
  const images = new Set(pods.flatMap(containersOf).map(({ image }) => image));
  const variables = pods.flatMap(containersOf).flatMap(({ env = [] }) => env).length;
  return [
    { check: "security", figure: `${pods.length} pods restricted`, faults: pods.flatMap(insecure) },
    { check: "wiring", figure: `${manifests.length} objects`, faults: unwired(manifests) },
    { check: "network", figure: `${cellsOf(values)} cells`, faults: astray(values, manifests) },
    { check: "image", figure: [...images].join(" "), faults: images.size === 1 ? [] : [`there are ${images.size} images`] },
    { check: "environment", figure: `${variables} variables`, faults: unset(text, manifests) },
  ];
}

/** One after the other: two cores are few. */
async function each(helms: readonly Helm[], work: (helm: Helm) => Promise<Said>): Promise<readonly Said[]> {
  const all: Said[] = [];
  for (const helm of helms) all.push(await work(helm));
  return all;
}

function told(check: Check, helms: readonly Helm[], all: readonly Said[]): Finding {
  // What lint says, it says on stdout; a render's stdout is the render.
  const faults = all.flatMap(({ code, stdout, stderr }, at) =>
    code === 0 ? [] : [`Helm ${helms[at]?.version}: ${stdout}${stderr}`.trim()],
  );
  return { check, figure: all.map(({ ms }, at) => `Helm ${helms[at]?.version} in ${ms} ms`).join(", "), faults };
}

function equal(all: readonly Said[]): Finding {
  const [first, ...others] = all.map(({ stdout }) => stdout);
  const faults = others.filter((text) => text !== first).map(() => "The versions of Helm render different texts");
  return { check: "equal", figure: `${first?.length} bytes`, faults };
}
