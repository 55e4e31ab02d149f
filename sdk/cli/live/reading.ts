import type { Diagnostic } from "@woml/language";
import { usage } from "../exit.ts";
import { fromHere } from "../path.ts";
import { type Publishable, readPublishable, workflowOf } from "../publish.ts";
import { gather, type SourceFile } from "../source.ts";

/** What is to be run, or what is wrong with it; `texts` are what the diagnostics may be about. */
export interface Read {
  readonly workflows: readonly Publishable[];
  readonly diagnostics: readonly Diagnostic[];
  readonly texts: readonly Pick<SourceFile, "path" | "text">[];
}

/** The workflows of files and folders, a definition in a .json file among them. What only others import is none. */
export async function readWorkflows(paths: readonly string[]): Promise<Read> {
  const { check } = await import("../check.ts");
  const { hasError } = await import("../diagnostics.ts");
  const sources = gather(paths.filter((path) => !path.endsWith(".json")));
  const { diagnostics, texts } = await check(sources);
  if (hasError(diagnostics)) return { workflows: [], diagnostics, texts };
  const ready = new Map(paths.filter((path) => path.endsWith(".json")).map((path) => [fromHere(path), path]));
  const workflows: Publishable[] = [];
  const first = new Map<string, string>();
  for (const path of [...sources.map((source) => source.path), ...ready.values()]) {
    const what = await readPublishable(path);
    const id = workflowOf(what);
    const other = first.get(id);
    if (id !== "" && other !== undefined)
      throw usage(`The workflow id "${id}" of ${path} is also that of ${other}.`, "WOML_WORKFLOW_ID_DUPLICATE");
    first.set(id, path);
    if (what.kind === "definition" || id !== "") workflows.push(what);
  }
  if (workflows.length === 0)
    throw usage("There is no workflow in what was named, only definitions to import.", "WOML_RUNNABLE_WORKFLOW_REQUIRED");
  return { workflows, diagnostics, texts };
}

/** The values of those names in the environment, to be set as secrets: a value that is typed is seen by others. */
export function secretsIn(env: NodeJS.ProcessEnv, names: string | undefined): ReadonlyMap<string, string> {
  const listed = (names ?? "").split(",").map((name) => name.trim());
  const found = new Map<string, string>();
  for (const name of listed.filter((one) => one !== "")) {
    const value = env[name];
    if (!value) throw usage(`--env-secrets names ${name}, which the environment does not have.`);
    found.set(name, value);
  }
  if (names !== undefined && found.size === 0) throw usage("--env-secrets names nothing: it is NAME,NAME.");
  return found;
}
