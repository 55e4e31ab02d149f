// docs/cluster.md against the chart: who follows it has every Secret that is referred to, and the values that are tested.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { ROOT } from "../support/platform.ts";
import { containersOf, type Manifest, podsOf } from "./manifest.ts";

interface Part {
  readonly resources: {
    readonly requests: { readonly cpu: string; readonly memory: string };
    readonly limits: { readonly memory: string };
  };
}
const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");
const PARTS = { control: "control", engine: "engine", sandbox: "sandbox", "plugin host": "pluginHost" } as const;

/** `manifests`: those of the usual values. */
export function misguided(manifests: readonly Manifest[]): readonly string[] {
  const guide = read("docs/cluster.md");
  const yaml = [...guide.matchAll(/^```yaml\n(.*?)^```$/gms)].map(([, text = ""]) => text);
  const usual = yaml.find((text) => text.includes("image:"));
  const isTested = JSON.stringify(parse(usual ?? "")) === JSON.stringify(parse(read("charts/woml/ci/usual-values.yaml")));
  return [...(isTested ? [] : ["its values are not those of ci/usual-values.yaml"]), ...unmade(manifests, guide), ...missized(guide)];
}

function unmade(manifests: readonly Manifest[], guide: string): readonly string[] {
  const commands = [...guide.matchAll(/create secret generic (\S+) (.*?[^\\])\n/gs)];
  const made = new Set(
    commands.flatMap(([, name = "", rest = ""]) =>
      [...rest.matchAll(/--from-literal=([\w.-]+)=/g)].map(([, key = ""]) => `${name} ${key}`),
    ),
  );
  const wanted = podsOf(manifests)
    .flatMap(containersOf)
    .flatMap(({ env = [] }) => env.flatMap(({ valueFrom }) => valueFrom?.secretKeyRef ?? []));
  const missing = wanted.filter(({ name, key }) => !made.has(`${name} ${key}`));
  return [...new Set(missing.map(({ name, key }) => `nobody is told to make the Secret ${name} with ${key}`))];
}

function missized(guide: string): readonly string[] {
  const values: Readonly<Record<string, Part>> = parse(read("charts/woml/values.yaml"));
  return Object.entries(PARTS).flatMap(([name, key]) => {
    const { requests, limits } = values[key]?.resources ?? {};
    const cpu = requests?.cpu.endsWith("m") ? Number.parseInt(requests.cpu, 10) / 1_000 : Number(requests?.cpu);
    const row = new RegExp(`^\\| ${name} +\\| ${cpu} cores?, ${requests?.memory} +\\| ${limits?.memory} `, "m");
    return row.test(guide) ? [] : [`its row of ${name} has other requests and limits than values.yaml`];
  });
}
