import type { RunView } from "@woml/run";
import { lowered } from "./answer.ts";
import type { Field } from "./field.ts";
import { RERUN, RESUME_RUN } from "./queries.ts";
import type { RunSummary } from "./types.ts";

/** `from` is a step or group of the main flow. With another `payload` the effects that happen once more are named by their operations' ids. */
export interface ResumeRunInput {
  readonly run: string;
  readonly from: string;
  readonly payload?: RunView["payload"];
  readonly acknowledgeEffects?: readonly string[];
  readonly idempotencyKey?: string;
}
export interface RerunInput {
  readonly run: string;
  readonly idempotencyKey?: string;
}
interface Begun {
  readonly run: RunSummary;
  readonly duplicate: boolean;
}
/** Runs that go back to others. */
export interface AgainClient {
  resumeRun(input: ResumeRunInput): Promise<Begun>;
  rerun(input: RerunInput): Promise<Begun>;
}

export function openAgain(field: Field): AgainClient {
  const begin = async (name: string, query: string, input: object): Promise<Begun> => {
    const begun = await field<Begun>(name, query, { input });
    return { ...begun, run: lowered(begun.run) };
  };
  return {
    resumeRun: (input) => begin("resumeRun", RESUME_RUN, input),
    rerun: (input) => begin("rerun", RERUN, input),
  };
}
