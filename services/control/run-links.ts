// From a run to those that it goes back to, and to those that go back to it.
import { asRunId, type ResumedFrom, showRunId } from "@woml/run";
import type { Asking, Resolvers } from "./asking.ts";
import type { RunSource } from "./run-source.ts";

type None = Record<never, never>;
interface Links {
  readonly resumed?: ResumedFrom;
  readonly rerunOf?: string;
  readonly parent?: { readonly run: string };
}

export const linkResolvers: Resolvers = {
  resumedFrom: async (run: RunSource, _: None, asking: Asking) => {
    const { resumed } = await linksOf(run, asking);
    return resumed === undefined ? null : { run: showRunId(asRunId(resumed.run)), from: resumed.from };
  },
  rerunOf: async (run: RunSource, _: None, asking: Asking) => {
    const { rerunOf } = await linksOf(run, asking);
    return rerunOf === undefined ? null : showRunId(asRunId(rerunOf));
  },
  calledBy: async (run: RunSource, _: None, asking: Asking) => {
    const { parent } = await linksOf(run, asking);
    return parent === undefined ? null : showRunId(asRunId(parent.run));
  },
  resumedBy: async ({ id }: RunSource, _: None, { reads }: Asking) => (await reads.resumedBy(id)).map(showRunId),
};

async function linksOf({ id, asked }: RunSource, { reads }: Asking): Promise<Links> {
  if (asked !== null) return asked.links;
  const [first] = await reads.ends(id);
  return first?.type === "run_admitted" ? first.data : {};
}
