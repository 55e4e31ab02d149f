import { createInterface } from "node:readline";
import type { Trigger } from "@woml/client";
import { usage } from "../exit.ts";
import { note } from "../terminal.ts";

type Manual = Pick<Trigger, "workflow" | "id">;

/**
 * Enter starts a run; of several manual triggers a number chooses, and Enter alone repeats the choice, the first time a list of them. Answers how
 * to stop listening.
 */
export function listen(manual: readonly Manual[], start: (chosen: Manual) => Promise<void>, signal: AbortSignal): () => void {
  const keys = createInterface({ input: process.stdin, terminal: false });
  let chosen = manual.length === 1 ? manual[0] : undefined;
  const choose = (): void => note(["Which one?", ...manual.map(({ workflow, id }, at) => `  ${at + 1}  ${workflow} ${id}`)].join("\n"));
  keys.on("line", (typed) => {
    const text = typed.trim();
    const named = text === "" ? chosen : manual[Number(text) - 1];
    if (named === undefined) return choose();
    chosen = named;
    if (!signal.aborted) void start(named);
  });
  return () => {
    keys.close();
    process.stdin.destroy();
  };
}

/** The manual trigger that was named as `TRIGGER` or `WORKFLOW/TRIGGER`; all where none was named. Throws where no such one is. */
export function chosenOf(manual: readonly Manual[], named: string | undefined): readonly Manual[] {
  if (named === undefined) return manual;
  const chosen = manual.filter(({ workflow, id }) => named === id || named === `${workflow}/${id}`);
  if (chosen.length > 0) return chosen;
  const known = manual.map(({ workflow, id }) => `${workflow}/${id}`);
  throw usage(`There is no manual trigger ${named}; there ${known.length === 0 ? "is none" : `is ${known.join(", ")}`}.`);
}
