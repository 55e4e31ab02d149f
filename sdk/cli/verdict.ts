import type { Json } from "@woml/model";
import { Ending, EXIT, usage } from "./exit.ts";

/** How the person said that it ended. */
export interface VerdictOptions {
  readonly succeeded?: string;
  readonly failed?: string;
  readonly retry?: boolean;
  readonly message?: string;
}
export type Said =
  | { readonly outcome: "succeeded"; readonly result: Json; readonly message?: string }
  | { readonly outcome: "failed"; readonly message: string }
  | { readonly outcome: "retry"; readonly message?: string };

/** Exactly one of --succeeded, --failed and --retry. */
export function readVerdict({ succeeded, failed, retry, message }: VerdictOptions): Said {
  const given = [succeeded !== undefined, failed !== undefined, retry === true].filter(Boolean).length;
  if (given !== 1) throw usage("Say what became of it, one of: --succeeded <json>, --failed <why>, --retry.");
  const why = message === undefined ? {} : { message };
  if (succeeded !== undefined) return { outcome: "succeeded", result: parsed(succeeded), ...why };
  if (failed === undefined) return { outcome: "retry", ...why };
  if (message !== undefined) throw usage("--failed says why itself: leave --message out.");
  return { outcome: "failed", message: failed };
}

function parsed(text: string): Json {
  try {
    return JSON.parse(text);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw usage(`What it answered is no JSON: ${why}. A text needs quotes of its own, as in '"ch_1"'.`, "WOML_RESOLUTION_RESULT_INVALID");
  }
}

/** For commander: the head of a run, a whole number from 1. */
export function parseHead(text: string): number {
  const head = Number(text);
  if (/^\d{1,9}$/.test(text) && head >= 1) return head;
  throw usage(`--head is "${text}"; it is the number of events that the run had when you looked.`);
}

export const noRun = (id: string): Ending => new Ending(EXIT.failed, "WOML_RUN_NOT_FOUND", `There is no run ${id}.`);
