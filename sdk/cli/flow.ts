// What a run shows beside its steps and calls: loops as counts, whatever there is of them; each branch, approval and choice; what went wrong.
import type { ApprovalView, BranchView, ChoiceView, ForkView, LoopView, RunView } from "@woml/run";
import { plain } from "./plain.ts";

type Rows = readonly (readonly string[])[];

/** Tables, each with its head; without those that would be empty. */
export function flowTables({ loops, forks, approvals, choices }: RunView): readonly Rows[] {
  const chosen = choices.filter(({ iteration, id }) => iteration === null && !isOfPlatform(id));
  const tables: readonly Rows[] = [
    [["LOOP", "STATUS", "TOTAL", "ACTIVE", "SUCCEEDED", "FAILED", "SKIPPED"], ...loops.map(ofLoop)],
    [["FORK", "BRANCH", "STATUS", "JOINED", "FAILURE"], ...forks.flatMap(ofFork)],
    [["CHOICE", "ARM", "STATUS", "OUTPUT"], ...chosen.map(ofChoice)],
    [["APPROVAL", "STATUS", "SINCE", "UNTIL", "BY"], ...approvals.map(ofApproval)],
  ];
  return tables.filter((rows) => rows.length > 1);
}

/** So many are told; `runs get -o json` has them all. */
const WARNINGS = 20;

export function warningLines({ warnings }: RunView): readonly string[] {
  const told = warnings.slice(0, WARNINGS).map(({ code, message, action }) => {
    return plain(`warning${action === null ? "" : ` (${action})`}  ${code}: ${message}`);
  });
  const more = warnings.length - told.length;
  return more > 0 ? [...told, `and ${more} more warnings`] : told;
}

/** What a person has to decide, with the commands that do; `where` is what these need to find the platform again, null when it is gone. */
export function approvalQuestions({ id: run, approvals }: RunView, where: string | null): readonly string[] {
  const waiting = approvals.filter(({ status }) => status === "waiting");
  return waiting.map(({ id, requestedAt, deadlineAt, onTimeout }) => {
    const until = deadlineAt === null ? "" : `, until ${deadlineAt} (then it ${onTimeout === "reject" ? "is rejected" : "fails"})`;
    const what = plain(`approval  ${id} waits for a decision since ${requestedAt}${until}.`);
    if (where === null) return what;
    const lines = ["approve", "reject"].map((word) => plain(`npm run woml -- runs ${word} ${run} ${id}${where}`));
    return [what, ...lines.map((line) => `         ${line}`)].join("\n");
  });
}

/** An author's ids have no colon: this is the end of something, or of a choice without an id. */
const isOfPlatform = (id: string): boolean => id.includes(":");

function ofLoop({ id, status, total, active, succeeded, failed, skipped }: LoopView): readonly string[] {
  return [id, status, ...[total, active, succeeded, failed, skipped].map(String)];
}

function ofFork({ id, branches }: ForkView): Rows {
  return branches.map((branch) => [id, branch.id, branch.status, branch.joined ? "yes" : "no", reasonOf(branch)]);
}

const reasonOf = ({ failure }: BranchView): string => (failure === null ? "" : `${failure.code}: ${failure.message}`);

function ofChoice({ id, arm, status, output }: ChoiceView): readonly string[] {
  return [id, arm, status, output === null ? "" : JSON.stringify(output)];
}

function ofApproval({ id, status, requestedAt, deadlineAt, by, source, reason }: ApprovalView): readonly string[] {
  return [id, status, requestedAt, deadlineAt ?? "", by ?? source ?? reason ?? ""];
}
