import { SHARED } from "@woml/boot";
import type { Json } from "@woml/model";
import { showRunId } from "@woml/run";
import { type Asking, withTenant } from "./asking.ts";
import { digestOf } from "./digest.ts";
import { ApiError } from "./errors.ts";
import { runIdOf } from "./ids.ts";
import { asMeant } from "./meant.ts";
import { acceptKey } from "./payload.ts";
import { versionToRun } from "./request.ts";
import { findRun, type RunSource } from "./run-source.ts";
import { type Begun, begin, runOf } from "./successor.ts";

export interface RerunInput {
  readonly run: string;
  readonly idempotencyKey?: string | null;
}

/** A new run of the active version, with payload and labels of an earlier one, whatever became of that. It takes over nothing. */
export async function rerun(asking: Asking, input: RerunInput): Promise<Begun> {
  const run = runIdOf(input.run);
  const key = acceptKey(input.idempotencyKey);
  const found = await withTenant(asking, (scope) => findRun(scope, run));
  if (found === null) throw new ApiError("WOML_RUN_NOT_FOUND", "there is no such run");
  const payload = await payloadOf(asking, found);
  const { workflow, labels } = found;
  const { trace, who } = asking;
  const begun = await asMeant(() =>
    withTenant(asking, async (scope): Promise<Begun> => {
      const { hash: version, trigger, onAmbiguous } = await versionToRun(scope, { workflow, version: null, trigger: null });
      const extras = { ...(onAmbiguous === null ? {} : { onAmbiguous }), ...(trace === null ? {} : { trace }) };
      const body: Json = { kind: "start", workflow, version, trigger, payload, labels, rerunOf: run, ...extras };
      const meant = { workflow, version, trigger: null };
      const successor = { of: run, how: "rerun", key, digest: digestOf({ rerunOf: run }), body, by: who.key, detail: {}, meant } as const;
      const { row, created } = await begin(scope, successor);
      return { run: await runOf(scope, row), duplicate: !created };
    }),
  );
  asking.doorbell.ring(SHARED);
  return begun;
}

async function payloadOf({ reads }: Asking, { id, asked }: RunSource): Promise<Json> {
  if (asked !== null) return asked.payload;
  const [first] = await reads.ends(id);
  if (first?.type === "run_admitted") return first.data.payload;
  throw new Error(`the log of ${showRunId(id)} does not begin with run_admitted`);
}
