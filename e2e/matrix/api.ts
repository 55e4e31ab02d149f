import { parseRunId } from "@woml/run";
import { flat } from "../support/platform.ts";

/** The public API, asked as anybody would. */
export interface Api {
  /** Rejects with the first error's code and message. */
  ask<T>(query: string, variables?: object, key?: string): Promise<T>;
}
export function openApi(url: string, usual: string): Api {
  return {
    ask: async <T>(query: string, variables: object = {}, key: string = usual) => {
      const headers = { "content-type": "application/json", authorization: `Bearer ${key}` };
      const answer = await fetch(url, { method: "POST", headers, body: JSON.stringify({ query, variables }) });
      const { data, errors } = (await answer.json()) as { readonly data: T; readonly errors?: readonly AskError[] };
      if (errors?.[0]) throw new ApiRefusal(errors[0].extensions?.code ?? "", errors[0].message);
      return data;
    },
  };
}
interface AskError {
  readonly message: string;
  readonly extensions?: { readonly code?: string };
}
export class ApiRefusal extends Error {
  readonly code: string;
  constructor(code: string, message: string) {
    super(`${code}: ${message}`);
    this.code = code;
  }
}

interface SeenOperation {
  readonly id: string;
  readonly class: string;
  readonly outcome: string;
  readonly tries: number;
  readonly by: string;
  readonly evidence: string;
  readonly result: unknown;
  readonly failure: { readonly code: string; readonly ambiguous: boolean } | null;
}
export interface SeenRun {
  readonly id: string;
  readonly status: string;
  readonly head: number;
  readonly result: unknown;
  readonly failure: { readonly code: string } | null;
  readonly waiting: { readonly cause: string; readonly operations?: readonly string[] } | null;
  readonly unresolvedEffects: readonly string[];
  readonly operations: readonly SeenOperation[];
}

const RUN = `query ($id: ID!) { run(id: $id) { id status head result failure waiting unresolvedEffects
  operations(first: 100) { edges { node { id class outcome tries by evidence result failure } } } } }`;
const START = `mutation ($input: StartRunInput!) { startRun(input: $input) { run { id } } }`;
const RESOLVE = `mutation ($input: ResolveUnknownInput!) { resolveUnknown(input: $input) { run { id } } }`;

export async function lookAt(api: Api, id: string): Promise<SeenRun> {
  const run = flat<SeenRun>((await api.ask<{ run: object }>(RUN, { id })).run);
  return { ...run, status: run.status.toLowerCase() };
}

/** Answers the run's id. */
export async function startRun(api: Api, workflow: string, payload: object): Promise<string> {
  const { startRun: started } = await api.ask<{ startRun: { run: { id: string } } }>(START, { input: { workflow, payload } });
  return started.run.id;
}

export async function resolve(api: Api, run: SeenRun, verdict: { readonly outcome: string; readonly result?: unknown }): Promise<void> {
  const [operation = ""] = run.unresolvedEffects;
  await api.ask(RESOLVE, { input: { run: run.id, operation, expectedHead: run.head, ...verdict } });
}

const VERIFY = `query ($after: String) { verify(first: 20, after: $after) { edges { node { run ok differences } }
  pageInfo { hasNextPage endCursor } } }`;
interface Verified {
  readonly verify: {
    readonly edges: readonly { readonly node: { readonly run: string; readonly ok: boolean; readonly differences: readonly string[] } }[];
    readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
  };
}
/** What of all runs is not what their logs say, each log folded anew; and how many runs there are. */
export async function verify(api: Api): Promise<{ readonly runs: number; readonly differences: readonly string[] }> {
  const differences: string[] = [];
  let runs = 0;
  for (let after: string | null = null, more = true; more; ) {
    const { verify: page }: Verified = await api.ask<Verified>(VERIFY, { after });
    runs += page.edges.length;
    for (const { node } of page.edges) if (!node.ok) differences.push(`${node.run}: ${node.differences.join("; ")}`);
    more = page.pageInfo.hasNextPage;
    after = page.pageInfo.endCursor;
  }
  return { runs, differences };
}

/** As the database has it. */
export const uuidOf = (run: string): string => String(parseRunId(run));
