import type { Json } from "@woml/model";
import type { NewEvent, RunEvents } from "../event.ts";
import { failure } from "./events.ts";

/** Short spellings of events of forks, loops, approvals and hooks. */
export const waitAll = (node: string): NewEvent => ({ type: "parallel_opened", data: { node, onError: "wait-all" } });
export const failing = (node: string, failed: string, ...stopped: readonly string[]): NewEvent => ({
  type: "parallel_failing",
  data: { node, failed, stopped },
});
export const mainFailed: NewEvent = { type: "main_failed", data: { failure } };
export const passed = (node: string): NewEvent => ({ type: "choice_settled", data: { node } });
/** Of two branches, `x` and `y`. */
export const fork = (...joined: readonly string[]): NewEvent => ({
  type: "fork_opened",
  data: { node: "f", branches: ["x", "y"], joined },
});
export const branch = (name: string, status: "succeeded" | "failed" = "succeeded"): NewEvent => ({
  type: "branch_settled",
  data: { node: "f", branch: name, status, failure: status === "failed" ? failure : null },
});
export const join = (blocking: string | null = null): NewEvent => ({
  type: "join_settled",
  data: { node: "f", status: blocking === null ? "succeeded" : "failed", blocking },
});
/** Of a loop `l` around `a` and `c`. */
export const loop = (total: number, some: Partial<RunEvents["loop_opened"]> = {}): NewEvent => ({
  type: "loop_opened",
  data: { node: "l", total, concurrency: 1, collects: false, nodes: ["a", "c"], ...some },
});
export const iteration = (index: number): NewEvent => ({ type: "iteration_started", data: { node: "l", index } });
export const finished = (index: number, result?: Json): NewEvent => ({
  type: "iteration_settled",
  data: { node: "l", index, status: "succeeded", failure: null, ...(result === undefined ? {} : { result }) },
});
export const spoilt = (index: number): NewEvent => ({ type: "iteration_settled", data: { node: "l", index, status: "failed", failure } });
export const skip = (from: number, count: number): NewEvent => ({ type: "iterations_skipped", data: { node: "l", from, count } });
export const looped = (failed = 0): NewEvent => ({
  type: "loop_settled",
  data: { node: "l", status: failed === 0 ? "succeeded" : "failed", failed },
});
export const ask = (deadlineAt: number | null = null, onTimeout: "fail" | "reject" = "fail"): NewEvent => ({
  type: "approval_requested",
  data: { node: "ok", deadlineAt, onTimeout },
});
export const say = (decision: "approved" | "rejected"): NewEvent => ({
  type: "approval_resolved",
  data: { node: "ok", decision, source: "human", by: "key_1" },
});
export const lapse: NewEvent = { type: "approval_resolved", data: { node: "ok", decision: "rejected", source: "timeout", by: null } };
export const unanswered = (reason: RunEvents["approval_failed"]["reason"] = "timeout"): NewEvent => ({
  type: "approval_failed",
  data: { node: "ok", reason },
});
export const hook = (name: string, ...actions: readonly string[]): NewEvent => ({
  type: "hook_requested",
  data: { hook: name, actions: actions.map((action) => `${name}/${action}`) },
});
export const act = (node: string, attempt = 1): NewEvent => ({ type: "action_started", data: { node, attempt } });
export const acted = (
  node: string,
  status: RunEvents["action_settled"]["status"] = "succeeded",
  dueAt: number | null = null,
): NewEvent => ({
  type: "action_settled",
  data: { node, attempt: 1, status, failure: status === "failed" ? failure : null, cpuMs: 1, dueAt },
});
export const observed = (name: string, failed = 0): NewEvent => ({ type: "hook_settled", data: { hook: name, failed } });
export const inherit = (node: string, output: Json = 1): NewEvent => ({ type: "output_inherited", data: { node, output } });
export const warn = (limit: "events" | "outputs"): NewEvent => ({ type: "limit_warned", data: { limit, used: 8, most: 10 } });
