import type { MemoryRun } from "@woml/prisma/memory";
import { foldAll, project, type RunEvents, type Timer, timers } from "@woml/run";
import { chainFaults, effectFaults } from "./effects.ts";
import { isForPerson, isPutOff } from "./known.ts";
import { countOutcomes } from "./outcome.ts";
import { ruleFaults } from "./rules.ts";
import type { Story } from "./story.ts";
import type { Tally } from "./tally.ts";

const TERMINAL: ReadonlySet<string> = new Set(["run_succeeded", "run_failed", "run_cancelled"]);
const OUTPUTS: ReadonlySet<string> = new Set(["step_succeeded", "choice_settled", "loop_settled", "approval_resolved"]);
/** What may hold a run here: a definition or a module that a story has changed, and claims that all came to nothing. */
const STATED = /^(WOML_DEFINITION_HASH_MISMATCH|the stored module is not the one|claimed \d+ times without moving)/;

/** What a seed has left behind that it should not have. */
export function faultsOf(story: Story, tally: Tally): readonly string[] {
  const faults = [...story.witness.broken];
  for (const request of story.store.requests())
    if (request.answer !== null) tally.hit(`answered: ${request.answer}`);
    else if (!request.consumed && !isPutOff(request, story.store.run(request)))
      faults.push(`request ${request.id} (${request.body.kind}) is neither consumed nor answered`);
  for (const run of story.runs) {
    const row = story.store.run(run);
    if (row === null) faults.push(`${run.run} was accepted and never admitted`);
    else faults.push(...faultsOfRun(row, story.store.timers(run)).map((fault) => `${run.run} ${fault}`));
    if (row !== null) faults.push(...story.witness.unfounded(row), ...story.witness.unsent(row));
    if (row !== null)
      faults.push(...effectFaults(row, { provider: story.market.provider, times: run.times, tally }).map((fault) => `${run.run} ${fault}`));
    if (row !== null)
      faults.push(...[...ruleFaults(run.graph, row.events), ...lateFaults(row, story)].map((fault) => `${run.run} ${fault}`));
    if (row !== null) count(row, tally);
    if (row !== null) countOutcomes(run.graph, row.events, tally);
  }
  for (const chain of Map.groupBy(story.runs, ({ run, origin = run }) => origin).values()) {
    const world = { provider: story.market.provider, times: chain[0]?.times ?? new Map(), tally };
    if (chain.length > 1)
      faults.push(
        ...chainFaults(
          chain.map(({ run }) => run),
          world,
        ),
      );
  }
  return faults;
}

function faultsOfRun(row: MemoryRun, stored: readonly Timer[]): readonly string[] {
  const faults: string[] = [];
  const state = foldAll(row.events);
  if (row.held !== null && !STATED.test(row.held)) faults.push(`is held: ${row.held}`);
  if (state.ended === null && row.held === null && !isForPerson(row)) faults.push(`rests as ${row.status} without a cause`);
  const ends = row.events.flatMap(({ type }, index) => (TERMINAL.has(type) ? [index] : []));
  if (ends.length > 1 || (ends.length === 1 && ends[0] !== row.events.length - 1)) faults.push("goes on after its terminal event");
  const outputs = row.events.flatMap(({ type, data }) => (OUTPUTS.has(type) && "node" in data ? [data.node] : []));
  if (new Set(outputs).size !== outputs.length) faults.push("has two outputs of one node");
  const projected = project(state);
  if (same(projected) !== same(row)) faults.push(`is projected as ${same(row)}, but its log says ${same(projected)}`);
  if (sorted(stored) !== sorted(timers(state))) faults.push(`has timers ${sorted(stored)}, but its log says ${sorted(timers(state))}`);
  return faults;
}

/** Decisions that count though they were said when the time was over. */
function lateFaults({ run, events }: MemoryRun, { store }: Story): readonly string[] {
  const deadlines = new Map<string, number | null>();
  return events.flatMap(({ type, data, at }) => {
    if (type === "approval_requested") deadlines.set(data.node, data.deadlineAt);
    const deadlineAt = type === "approval_resolved" && data.source === "human" ? deadlines.get(data.node) : null;
    if (type !== "approval_resolved" || deadlineAt == null || at < deadlineAt) return [];
    const isTimely = store.requests().some(({ run: of, body, createdAt }) => {
      return (
        of === run &&
        body.kind === "resolve_approval" &&
        body.node === data.node &&
        body.decision === data.decision &&
        createdAt < deadlineAt
      );
    });
    return isTimely ? [] : [`takes a decision about ${data.node} that came too late`];
  });
}

function same({ status, waitingFor, nextDue }: Pick<MemoryRun, "status" | "waitingFor" | "nextDue">): string {
  return JSON.stringify({ status, waitingFor, nextDue });
}

function sorted(list: readonly unknown[]): string {
  return JSON.stringify(list.map((one) => JSON.stringify(one)).toSorted());
}

function settled({ outcome, evidence }: RunEvents["operation_settled"], tally: Tally): void {
  tally.hit(`settled: ${outcome.status}${outcome.status === "unknown" && outcome.told ? ", told" : ""}`);
  if (outcome.status === "failed" && evidence.startsWith("Nothing was dispatched")) tally.hit(`not begun: ${outcome.failure.code}`);
}

function started({ key, by, reused }: RunEvents["operation_started"], inherited: ReadonlySet<string>, tally: Tally): void {
  tally.hit(`started: ${reused === null ? by : reused === 0 ? "inherited" : "reused"}`);
  if (inherited.has(key)) tally.hit("sent in the window of an earlier run");
}

function count(row: MemoryRun, tally: Tally): void {
  tally.hit(`run ${row.held === null ? row.status : "held"}`);
  if (row.held?.startsWith("the stored module")) tally.hit("held for a module");
  if (row.events.some(({ type }) => type === "outcome_resolved")) tally.hit("run needed a person");
  if (isForPerson(row)) tally.hit("run waits for a person");
  countSequel(row, tally);
  const inherited = new Set(row.events.flatMap(({ type, data }) => (type === "key_inherited" ? [data.key] : [])));
  for (const { type, data } of row.events) {
    if (type === "attempt_resumed") tally.hit(`attempt_resumed: ${data.lost}`);
    else if (type === "operation_settled") settled(data, tally);
    else if (type === "operation_doubted")
      tally.hit(`doubted: ${data.reason}${data.runsUntil === undefined ? "" : ", its host out of reach"}`);
    else if (type === "operation_refused") tally.hit(`refused: ${data.failure.code}`);
    else if (type === "outcome_resolved") tally.hit(`resolved: ${data.call === null ? "attempt " : ""}${data.verdict.status}`);
    else if (type === "operation_started") started(data, inherited, tally);
    else if (type === "effect_inherited") tally.hit(`effect_inherited: ${data.outcome.status}`);
    else tally.hit(type);
  }
}

/** What a run came to that follows another. */
function countSequel({ events, status }: MemoryRun, tally: Tally): void {
  const [admitted, second] = events;
  if (admitted?.type !== "run_admitted") return;
  const { resumed, rerunOf } = admitted.data;
  const isRefused = second?.type === "outcome_decided" && second.data.status === "failed";
  if (isRefused && resumed !== undefined) tally.hit(`resume refused: ${second.data.failure.code}`);
  else if (resumed !== undefined) tally.hit(`resumed: ${status}`);
  if (rerunOf !== undefined) tally.hit(`rerun: ${status}`);
  if (resumed !== undefined && events.some(({ type, data }) => type === "attempt_resumed" && data.lost !== null))
    tally.hit("resumed: lost in it");
}
