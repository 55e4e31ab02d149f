import { CONTRACTS, type Contracted } from "../contract.ts";
import { flowsOf, type Law } from "../outline.ts";
import { hooksOf, noticesOf } from "../scripts.ts";
import { pointer, type Violation, violated } from "../violation.ts";

/** Whatever is performed is of a contract that is known here. */
export const knownContracts: Law = function* (whole) {
  for (const flow of flowsOf(whole)) {
    for (const node of flow.flow.nodes) {
      if (node.kind !== "step") continue;
      const path = flow.nodePath(node.id);
      yield* judge("step", node, path);
      if (node.reusable) yield* judge("reusable step", node.reusable, `${path}/reusable`);
    }
  }
  for (const { part, path } of noticesOf(whole))
    if (part.provider === "custom") yield* judge("reusable step", part.reusable, `${path}/reusable`);
  for (const { part: hook, path } of hooksOf(whole)) {
    for (const [at, action] of hook.actions.entries()) yield* judge("lifecycle action", action, `${path}/actions${pointer(at)}`);
  }
  for (const [at, use] of (whole.definition.uses ?? []).entries()) yield* judge("operation", use, `/uses${pointer(at)}`);
};

function* judge(kind: Contracted, { contract = 1 }: { readonly contract?: number }, path: string): Generator<Violation> {
  if (contract === CONTRACTS[kind]) return;
  yield violated(
    "WOML_CONTRACT_UNSUPPORTED",
    `${path}/contract`,
    `contract ${contract} of a ${kind} is not run here; ${CONTRACTS[kind]} is`,
  );
}
