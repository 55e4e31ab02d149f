import { type Asking, withTenant } from "./asking.ts";
import { entryOf } from "./audit.ts";

/** As the API spells it: ASK is what holds when nothing is set. */
export type OnAmbiguous = "ASK" | "FAIL";

export function setOnAmbiguous(asking: Asking, wanted: OnAmbiguous): Promise<OnAmbiguous> {
  return withTenant(asking, async (scope) => {
    await scope.setOnAmbiguous(wanted === "FAIL" ? "fail" : null);
    await scope.record(entryOf(asking.who.key, "tenant.on_ambiguous", scope.tenant, { onAmbiguous: wanted }));
    return wanted;
  });
}

export function readOnAmbiguous(asking: Asking): Promise<OnAmbiguous> {
  return withTenant(asking, async (scope) => ((await scope.onAmbiguous()) === "fail" ? "FAIL" : "ASK"));
}
