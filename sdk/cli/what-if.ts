import type { Client } from "@woml/client";
import { accept, type Definition, type Json } from "@woml/model";
import type { Difference, WhatIf } from "@woml/platform/what-if";
import type { RunEvent, RunView } from "@woml/run";
import { plain } from "./plain.ts";
import { counted, table } from "./terminal.ts";

/** A run's events as they were stored, and the version that it ran. */
export async function recorded(
  client: Client,
  run: RunView,
): Promise<{ readonly log: readonly RunEvent[]; readonly version: Definition | null }> {
  const log = run.events.map(({ seq, type, at, data }) => ({ seq, type, at: Date.parse(at), data }) as unknown as RunEvent);
  return { log, version: definitionOf(await client.definition(run.version)) };
}

function definitionOf(stored: Json | null): Definition | null {
  const accepted = stored === null ? null : accept(stored);
  return accepted === null || "violations" in accepted ? null : accepted.definition;
}

/** Lines shown to people; programs get all. */
const SHOWN = 100;

export function summary({ differences, wouldRun, rewritten }: WhatIf): string {
  const rows = differences.slice(0, SHOWN).map(row);
  const more = differences.length - rows.length;
  return [
    differences.length === 0 ? "no differences" : counted(differences.length, "difference"),
    ...(rows.length > 0 ? [table([["WHAT", "WHERE", "RECORDED", "WHAT IF"], ...rows])] : []),
    ...(more > 0 ? [`and ${more} more; --json says all`] : []),
    ...(wouldRun.length > 0 ? [`would run, and nothing is recorded of it: ${named(wouldRun)}`] : []),
    ...(rewritten.length > 0 ? [`has another script, and what that had come to was taken: ${named(rewritten)}`] : []),
  ].join("\n");
}

const row = ({ what, of, recorded: was, whatIf }: Difference): readonly string[] => [what, of, plain(was ?? "–"), plain(whatIf ?? "–")];

function named(ids: readonly string[]): string {
  return ids.length <= SHOWN ? ids.join(", ") : `${ids.slice(0, SHOWN).join(", ")}, and ${ids.length - SHOWN} more`;
}
