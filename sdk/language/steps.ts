import type { Remark } from "./diagnostic.ts";
import type { Document } from "./document.ts";
import { hasNameless } from "./meant.ts";
import { guesses } from "./script/remarks.ts";
import { quoted } from "./source.ts";
import { childrenNamed, elementsOf } from "./tree.ts";
import { idsOf } from "./visibility.ts";

/** The steps of a workflow, as its lifecycle names them. */
export interface Steps {
  /** Why an id is no executable step's; null when it is one, or may have been meant to be. */
  unknown(id: string): Remark | null;
}

export function executableSteps(document: Document): Steps {
  const kinds = idsOf(document);
  const guess = guesses();
  const names = [...kinds].filter(([, kind]) => kind === "step").map(([id]) => id);
  // Without a flow, or where a step's id cannot be read, nothing can be said; that is reported.
  const hasFlow = childrenNamed(document.root, "workflow").some((workflow) =>
    childrenNamed(workflow, "steps").some((steps) => elementsOf(steps).length > 0),
  );
  const isDoubtful = !hasFlow || hasNameless(document);
  return {
    unknown: (id) => {
      const kind = kinds.get(id);
      if (kind === "step" || kind === "unknown" || (!kind && isDoubtful)) return null;
      const message = kind ? `${quoted(id)} is a ${kind} and no step.` : `No step has the id ${quoted(id)}.`;
      return {
        code: "WOML_LIFECYCLE_STEP_UNKNOWN",
        message,
        hint: guess(id, names, "Name a step of this workflow, nested ones too."),
      };
    },
  };
}
