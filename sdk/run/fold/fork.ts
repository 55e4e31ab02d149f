import type { RunEvents } from "../event.ts";
import { ledger } from "../ledger.ts";
import type { ForkState, RunState } from "../state.ts";
import { demand, demandGoing } from "./demand.ts";

export function main_failed(state: RunState, { failure }: RunEvents["main_failed"]): RunState {
  demand(state, "WOML_LOG_STOP", state.outcome === null && state.stop === null);
  return { ...state, failing: state.failing ?? failure };
}

export function fork_opened(state: RunState, { node, branches, joined }: RunEvents["fork_opened"]): RunState {
  demandGoing(state);
  demand(state, "WOML_LOG_FORK", !state.forks.has(node) && joined.every((branch) => branches.includes(branch)));
  let open: ForkState["branches"] = ledger();
  for (const branch of branches) open = open.with(branch, "open");
  return kept(state, node, { branches: open, joined, join: "pending" });
}

export function branch_settled(state: RunState, { node, branch, status, failure }: RunEvents["branch_settled"]): RunState {
  demand(state, "WOML_LOG_STOP", state.outcome === null && state.stop === null);
  const fork = state.forks.get(node);
  demand(state, "WOML_LOG_FORK", fork?.branches.get(branch) === "open" && (failure === null) === (status === "succeeded"));
  const settled = kept(state, node, { ...fork, branches: fork.branches.with(branch, status) });
  return { ...settled, failing: state.failing ?? failure };
}

/** Succeeded when all that it waits for have; failed as soon as one of these has. */
export function join_settled(state: RunState, { node, status, blocking }: RunEvents["join_settled"]): RunState {
  const fork = state.forks.get(node);
  demand(state, "WOML_LOG_FORK", fork?.join === "pending" && (blocking === null) === (status === "succeeded"));
  const { branches, joined } = fork;
  if (blocking === null) {
    demandGoing(state);
    demand(
      state,
      "WOML_LOG_FORK",
      joined.every((branch) => branches.get(branch) === "succeeded"),
    );
  } else demand(state, "WOML_LOG_FORK", joined.includes(blocking) && branches.get(blocking) === "failed");
  return kept(state, node, { ...fork, join: status });
}

function kept(state: RunState, node: string, fork: ForkState): RunState {
  return { ...state, forks: state.forks.with(node, fork) };
}
