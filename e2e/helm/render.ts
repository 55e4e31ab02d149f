// Helm itself, over a chart and values. It talks to no cluster, and keeps what it keeps in the cache beside it.
import { spawn } from "node:child_process";
import { join } from "node:path";
import { CACHE, type Helm } from "./tools.ts";

export interface Asked {
  readonly chart: string;
  readonly values?: string;
  /** `--set` arguments. */
  readonly set?: readonly string[];
}
export interface Said {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly ms: number;
}
const RELEASE = "woml";
export const NAMESPACE = "flows";

const HOMES = {
  HELM_CACHE_HOME: join(CACHE, "home", "cache"),
  HELM_CONFIG_HOME: join(CACHE, "home", "config"),
  HELM_DATA_HOME: join(CACHE, "home", "data"),
  KUBECONFIG: "/dev/null",
};

export function lint(helm: Helm, asked: Asked): Promise<Said> {
  return run(helm, ["lint", "--strict", ...flagsOf(asked)]);
}

export function template(helm: Helm, asked: Asked): Promise<Said> {
  return run(helm, ["template", RELEASE, "--namespace", NAMESPACE, ...flagsOf(asked)]);
}

/** What a user reads after `helm install`. Only Helm 4 shows it without a cluster. */
export async function notes(helm: Helm, asked: Asked): Promise<string> {
  const said = await run(helm, ["install", RELEASE, "--namespace", NAMESPACE, "--dry-run=client", ...flagsOf(asked)]);
  if (said.code !== 0) throw new Error(said.stderr);
  return said.stdout.split("\nNOTES:\n")[1] ?? "";
}

function flagsOf({ chart, values, set = [] }: Asked): readonly string[] {
  return [chart, ...(values === undefined ? [] : ["--values", values]), ...set.flatMap((one) => ["--set", one])];
}

async function run(helm: Helm, flags: readonly string[]): Promise<Said> {
  const began = performance.now();
  const child = spawn(helm.path, flags, { env: { PATH: process.env["PATH"], ...HOMES }, stdio: ["ignore", "pipe", "pipe"] });
  let [stdout, stderr] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on("error", reject).on("close", resolve);
  });
  return { code, stdout, stderr, ms: Math.round(performance.now() - began) };
}
