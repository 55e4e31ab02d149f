// All that can be said of the chart without starting anything.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ROLES } from "@woml/boot";
import { ROOT } from "../support/platform.ts";
import { BAD, type Bad, spoil } from "./bad.ts";
import { documented } from "./documented.ts";
import { leftOut } from "./environment.ts";
import { fact, type Tell } from "./fact.ts";
import { misguided } from "./guide.ts";
import { type Judged, judge, type Means, valuesOf } from "./judge.ts";
import { REFUSED, type Refused } from "./refusals.ts";
import { notes, template } from "./render.ts";

const CHART: string = join(ROOT, "charts", "woml");
const VALUES = ["minimal", "usual", "single-user", "full"] as const;

/** Tells every fact; answers what was rendered under each file of values. */
export async function tellStatic(means: Means, tell: Tell): Promise<ReadonlyMap<string, Judged>> {
  const judged = await tellRendered(means, tell);
  for (const { name, figure, faults } of documented()) tell(fact(name, figure, faults));
  await tellNotes(means, tell);
  await tellRefused(means, tell);
  await tellBad(means, tell);
  return judged;
}

/** The chart itself, under every file of values. */
export async function tellRendered(means: Means, tell: Tell): Promise<ReadonlyMap<string, Judged>> {
  const judged = new Map<string, Judged>();
  for (const values of VALUES) {
    const one = await judge(CHART, values, means);
    judged.set(values, one);
    for (const { check, figure, faults } of one.findings) tell(fact(`${check} ${values}`, figure, faults));
  }
  const full = judged.get("full")?.manifests ?? [];
  for (const role of ROLES) {
    const absent = leftOut(role, full).map((name) => `${name} cannot be set by any value`);
    tell(fact(`every setting of ${role}`, `${absent.length} left out`, absent));
  }
  const usual = judged.get("usual")?.manifests ?? [];
  tell(fact("docs/cluster.md", `${usual.length} objects`, misguided(usual)));
  return judged;
}

/** They say what comes next, and nothing that opens anything: the chart knows no secret. */
async function tellNotes({ helms }: Means, tell: Tell): Promise<void> {
  const newest = helms.at(-1);
  if (newest === undefined) return;
  const [minimal, usual] = await Promise.all(
    ["minimal", "usual"].map((values) => notes(newest, { chart: CHART, values: valuesOf(CHART, values) })),
  );
  const rules: readonly (readonly [boolean, string])[] = [
    [/port-forward svc\/woml-control 7330:7330/.test(usual ?? ""), "no port-forward is shown"],
    [
      /helm -n flows test woml/.test(usual ?? "") && !/ test woml/.test(minimal ?? ""),
      "helm test is shown where there is none, or the other way round",
    ],
    [
      /admin create/.test(minimal ?? "") && !/admin create/.test(usual ?? ""),
      "the first administrator is not explained where there is none",
    ],
    [/once a second/.test(minimal ?? "") && !/once a second/.test(usual ?? ""), "what lacks without Redis is not said"],
  ];
  tell(
    fact(
      "notes",
      `${usual?.split("\n").length} lines`,
      rules.filter(([holds]) => !holds).map(([, what]) => what),
    ),
  );
}

async function tellRefused({ helms }: Means, tell: Tell): Promise<void> {
  for (const refused of REFUSED) {
    const faults: string[] = [];
    for (const helm of helms) {
      const { code, stderr } = await template(helm, { chart: CHART, values: valuesOf(CHART, "usual"), set: refused.set });
      faults.push(...accepted(refused, code, stderr).map((what) => `Helm ${helm.version} ${what}`));
    }
    tell(fact(`refused: ${refused.name}`, refused.set.join(" "), faults));
  }
}

function accepted({ says }: Refused, code: number | null, stderr: string): readonly string[] {
  if (code === 0) return ["takes it"];
  return says.test(stderr) ? [] : [`says something else: ${stderr.trim()}`];
}

/** Each of them, or those that are named. */
export async function tellBad(means: Means, tell: Tell, names?: readonly string[]): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "woml-helm-"));
  try {
    for (const bad of BAD.filter(({ name }) => names?.includes(name) ?? true)) {
      const { findings } = await judge(spoil(CHART, bad, folder), bad.values, means);
      const met = findings.filter(({ faults }) => faults.length > 0);
      tell(fact(`bad chart: ${bad.name}`, `met by ${met.map(({ check }) => check).join(", ") || "nobody"}`, unmet(bad, met)));
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** By its own check, for its own reason, and for no other. */
function unmet({ check, says }: Bad, met: Judged["findings"]): readonly string[] {
  const strange = met.flatMap((finding) => finding.faults.filter((what) => finding.check !== check || !says.test(what)));
  const others = strange.map((what) => `met for another reason: ${what}`);
  return met.some((finding) => finding.check === check) ? others : [...others, `not met by ${check}`];
}
