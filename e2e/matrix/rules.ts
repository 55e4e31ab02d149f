/**
 * What must come of it when something dies at some moment of an operation: the matrix as a table. It is written down from the rules of
 * recovery, never from what was seen. Invariants (the tests quote them):
 *
 *  M1 An effect takes place once at most, whatever dies whenever; exactly once where the operation succeeded.
 *  M2 What its plugin host still knows is waited for, and not performed again.
 *  M3 Without that, its class decides: pure again; keyed again under the same key; reattachable by what its provider says; unsafe never.
 *  M4 What nothing can tell waits for a person, and nothing after it starts.
 */

/** The last thing that had happened when it died. */
export const POINTS = ["before start recorded", "recorded", "effect sent", "effect done", "answer received", "settled"] as const;
export type Point = (typeof POINTS)[number];
/** What dies. */
export const KILLS = ["engine", "sandbox worker", "plugin process", "PostgreSQL connection"] as const;
export type Kill = (typeof KILLS)[number];
/**
 * What the operation promises. Behind the colon, what its provider says when it is asked: the truth at once; first that it is under way, then
 * the truth; that it does not know it (late copies are behind, and what was under way is dropped), then the truth; nothing ever.
 */
export const CLASSES = [
  "pure",
  "keyed",
  "reattachable: succeeded",
  "reattachable: pending",
  "reattachable: not found",
  "reattachable: cannot tell",
  "unsafe",
] as const;
export type Kind = (typeof CLASSES)[number];

export interface Cell {
  readonly point: Point;
  readonly kill: Kill;
  readonly kind: Kind;
}
/** How the platform comes to know the outcome. */
type Way =
  /** Nothing was recorded: it is begun as if nothing had been. */
  | "begun"
  /** Who had recorded it lives, and dispatches it. */
  | "dispatched"
  /** The plugin host runs it or keeps its result. */
  | "joined"
  /** The answer is in the log, or is stored by the one who has it. */
  | "recorded"
  /** Dispatched anew under its class. */
  | "again"
  /** Its provider says that it was done. */
  | "asked"
  /** Its provider does not know it, late enough for that to be proof; then dispatched anew. */
  | "proven absent"
  /** A person says it. */
  | "person";
export interface Rule {
  readonly way: Way;
  readonly status: "succeeded" | "needs_resolution";
  /** How often it may have been dispatched, a person's word aside. */
  readonly tries: readonly number[];
  /** Lines in the ledger when it stands so, a person's word aside. A pure operation leaves none. */
  readonly effects: 0 | 1;
}

export const CELLS: readonly Cell[] = POINTS.flatMap((point) => KILLS.flatMap((kill) => CLASSES.map((kind) => ({ point, kill, kind }))));
export const nameOf = ({ point, kill, kind }: Cell): string => `${point} / ${kill} / ${kind}`;

/** Whether whoever decided for the run until then is gone: its process, or its session with the store and so its lease. */
const losesEngine = (kill: Kill): boolean => kill === "engine" || kill === "PostgreSQL connection";

export function ruleOf({ point, kill, kind }: Cell): Rule {
  const effects = kind === "pure" ? 0 : 1;
  const known = (way: Way, tries: readonly number[] = [1]): Rule => ({ way, status: "succeeded", tries, effects });
  switch (point) {
    case "before start recorded":
      return known("begun");
    case "recorded":
      return losesEngine(kill) ? unknownToHost(kind, false) : known("dispatched");
    case "effect sent":
      return kill === "plugin process" ? unknownToHost(kind, LANDS[kind]) : known("joined", runsStill(kind));
    case "effect done":
      return kill === "plugin process" ? unknownToHost(kind, true) : known("joined", runsStill(kind));
    case "answer received":
      // Results of pure operations are not kept.
      if (losesEngine(kill)) return kind === "pure" ? known("again", [2]) : known("joined");
      return known("recorded");
    case "settled":
      return known("recorded");
    default:
      return point satisfies never;
  }
}

/** A pure one is joined while it runs; if it ends before it is asked for, it is performed again. */
function runsStill(kind: Kind): readonly number[] {
  return kind === "pure" ? [1, 2] : [1];
}

/** Whether a request that is under way when its sender dies has its effect all the same, in this matrix. */
export const LANDS: Readonly<Record<Kind, boolean>> = {
  pure: false,
  keyed: true,
  "reattachable: succeeded": true,
  "reattachable: pending": true,
  "reattachable: not found": false,
  "reattachable: cannot tell": true,
  unsafe: false,
};

/** M3: no plugin host knows what became of it. */
function unknownToHost(kind: Kind, landed: boolean): Rule {
  const person: Rule = { way: "person", status: "needs_resolution", tries: [1], effects: landed ? 1 : 0 };
  switch (kind) {
    case "pure":
      return { way: "again", status: "succeeded", tries: [2], effects: 0 };
    case "keyed":
      return { way: "again", status: "succeeded", tries: [2], effects: 1 };
    case "reattachable: succeeded":
    case "reattachable: pending":
    case "reattachable: not found":
      if (landed) return { way: "asked", status: "succeeded", tries: [1], effects: 1 };
      return { way: "proven absent", status: "succeeded", tries: [2], effects: 1 };
    case "reattachable: cannot tell":
    case "unsafe":
      return person;
    default:
      return kind satisfies never;
  }
}
