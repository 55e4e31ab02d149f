// What asks for runs, in a process of its own, as control is on a cluster: `control.ts URL`. Whoever forked it is told when to ring.
import { openControlStore } from "@woml/prisma";
import { asTenantId } from "@woml/run";
import { asking } from "./ask.ts";
import type { FromControl, ToControl } from "./control-talk.ts";

const store = await openControlStore(process.argv[2] ?? "");
const tell = (word: FromControl): void => void process.send?.(word);
let isRung = false;
/** As a doorbell does: one ring is outstanding at most. */
const ring = (): void => {
  if (isRung) return;
  isRung = true;
  setImmediate(() => {
    isRung = false;
    tell({ said: "ring" });
  });
};

process.on("message", ({ ask, tenant, workflow, version, runs }: ToControl) => {
  const one = asking({ store, doorbell: { ring } }, asTenantId(tenant));
  Promise.all(Array.from({ length: runs }, () => one(workflow, version))).then(
    (asked) => tell({ said: "asked", ask, runs: asked }),
    (error: unknown) => tell({ said: "failed", ask, reason: String(error) }),
  );
});
process.on("disconnect", () => process.exit());
