import type { SelectNode, SwitchNode } from "./node/choice.ts";

/** Names of all arms, `otherwise` last. */
export const armsOf = (opener: SelectNode | SwitchNode): readonly string[] => [...opener.arms.map(({ arm }) => arm), opener.otherwise];

export const APPROVAL_ARMS: readonly string[] = ["approved", "rejected"];
