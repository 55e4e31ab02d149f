import type { RunSummary, Trigger } from "@woml/client";
import type { EventView } from "@woml/run";
import { counted, note, say, styled } from "../terminal.ts";
import { introduced } from "./intro.ts";
import { EventLines, shortId } from "./line.ts";
import type { Unset } from "./unset.ts";
import type { Counts } from "./watch.ts";

/** What a live run says on stdout: for people, or as one JSON object a line. */
export interface Saying {
  ready(triggers: readonly Trigger[], how: Readiness): void;
  event(run: RunSummary, event: EventView): void;
  stands(run: RunSummary, where: string): void;
  ended(counts: Counts): void;
}
interface Readiness {
  readonly graphql: string;
  readonly where: string;
  readonly isAsked: boolean;
  readonly unset: readonly Unset[];
}

export const asJson: Saying = {
  ready: (triggers, { graphql, unset }) => line({ type: "ready", graphql, triggers, unsetSecrets: unset }),
  event: ({ id, workflow }, { seq, type, at, data }) => line({ type: "event", run: id, workflow, seq, event: type, at, data }),
  stands: ({ id, workflow, status, waiting }) => line({ type: "run", run: id, workflow, status, waiting }),
  ended: (counts) => line({ type: "ended", runs: counts }),
};
const line = (value: unknown): void => say(JSON.stringify(value));

export function forPeople(): Saying {
  const lines = new EventLines();
  return {
    ready: (triggers, { graphql, where, isAsked, unset }) => {
      for (const [workflow, own] of Map.groupBy(triggers, (trigger) => trigger.workflow)) {
        say(styled("bold", workflow));
        for (const trigger of own) say(introduced(trigger, where, isAsked ? "press Enter" : null).join("\n"));
      }
      if (unset.length > 0)
        note(
          ["Not set yet, and until then what needs them fails, or lets nobody in:", ...unset.map((one) => setting(one, where))].join("\n"),
        );
      say(`GraphQL ${graphql}. Ctrl-C ends it.\n`);
    },
    event: (run, event) => say(lines.line(run, event)),
    stands: (run, where) => {
      const { status, waiting } = run;
      if (waiting?.cause === "approval")
        for (const step of waiting.steps ?? []) say(`    waits for a person: woml runs approve ${run.id} ${step}${where} (or reject)`);
      else if (status === "needs_resolution") say(`    ${shortId(run)} needs a word: woml runs operations ${run.id}${where}`);
      else if (waiting?.cause === "held") say(`    ${shortId(run)} is held: ${waiting.reason ?? "see woml doctor"}`);
    },
    ended: ({ succeeded, failed, cancelled, open }) => {
      const parts = Object.entries({ succeeded, failed, cancelled, "not ended": open }).filter(([, count]) => count > 0);
      const total = succeeded + failed + cancelled + open;
      say(`${counted(total, "run")}${parts.length > 0 ? `: ${parts.map(([word, count]) => `${count} ${word}`).join(", ")}` : ""}`);
    },
  };
}

/** The command that sets it here; it asks for the value. */
const setting = ({ name, workflows }: Unset, where: string): string => `  woml secrets set ${name}${where}    # ${workflows.join(", ")}`;
