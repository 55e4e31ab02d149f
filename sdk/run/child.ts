import type { OperationState } from "./state.ts";

/** An operation that only waits for another run: nobody performs it; the end of that run settles it, or its own time. */
export const awaitsChild = ({ called, status }: OperationState): boolean => status === "open" && called?.child !== undefined;

/** Until when it waits, epoch ms. */
export const awaitedUntil = ({ firstAt, called }: OperationState): number => firstAt + (called?.timeoutMs ?? 0);
