/**
 * Calls of other workflows that wait. Nobody performs them: the end of the run that was asked for settles them, or their time, or that what
 * waits is to end; that run goes on in any case.
 */
import { awaitedUntil } from "@woml/run";
import { fault } from "../builtin/contract.ts";
import { settled } from "../builtin/workflows.ts";
import { carryOn } from "./attempt.ts";
import type { ReportChild } from "./command.ts";
import type { Draft } from "./draft.ts";
import { settleCall, targetOf, waitingCalls } from "./wait.ts";

/** Says nothing while that run goes on. */
export function reportChild(draft: Draft, { child, ended }: ReportChild): void {
  if (ended === null) return;
  for (const operation of waitingCalls(draft).filter(({ called }) => called?.child?.run === child)) {
    settleCall(draft, operation, settled(targetOf(operation), ended));
    carryOn(draft, operation.node);
  }
}

/** Calls whose time is over. */
export function expireCalls(draft: Draft): void {
  for (const operation of waitingCalls(draft).filter((one) => awaitedUntil(one) <= draft.at)) {
    const message = `The run of ${targetOf(operation)} did not end within ${operation.called?.timeoutMs} ms, and goes on.`;
    settleCall(draft, operation, { failure: fault("WOML_WORKFLOW_CALL_TIMED_OUT", message) });
    carryOn(draft, operation.node);
  }
}
