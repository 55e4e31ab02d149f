/**
 * Finding out about a try that may have been dispatched, by this engine or another. Invariants (O1–O7 stand in operation.ts):
 *
 *  O8 Of several hosts the one is asked that the start names, and no other can know the try. A start that names none ("") was dispatched
 *     to none, whoever wrote it.
 *  O9 While that host is out of reach it may be performing the try, and may yet accept it: until the lease of whoever could have
 *     dispatched it is over, and the operation's time after that (`runsUntil`). It is asked again meanwhile: for a while, where what follows
 *     then is safe beside it; until that time is over, where nothing would follow but an unknown outcome.
 */
import { HOST_RETRY_MS, OUT_OF_REACH_MS } from "../bounds.ts";
import type { Said } from "../decide/command.ts";
import { next } from "../decide/recovery.ts";
import { asking, calledOf, type Desk, type Errand, fenceOf, longer, nameOf, pause, placeOf } from "./errand.ts";
import { saidOfDispatch } from "./said.ts";
import { traced } from "./traced.ts";

/** Finds out about a try that somebody may have dispatched. null: not wanted any more. */
export async function join(desk: Desk, errand: Errand): Promise<Said | null> {
  if (errand.operation.host === "") return { status: "unsent", detail: "No plugin host was there when it was started." };
  const asked = desk.clock.now();
  const known = await attach(desk, errand);
  if (known === "gone") return outOfReach(desk, errand, OUT_OF_REACH_MS);
  return known === "unknown" ? absent(desk, errand, asked) : known;
}

/** Its host is not there. `patienceMs`: for how long it is waited for, where the operation can go on without it. */
export async function outOfReach(desk: Desk, errand: Errand, patienceMs: number): Promise<Said | null> {
  const called = calledOf(errand);
  if (called.effect.class === "pure") return lost("The plugin host that had it is out of reach, and it has no effect.");
  errand.waits();
  const begun = desk.clock.now();
  const fencedUntil = await asking(desk, errand, () => desk.world.store.fencedUntil());
  if (fencedUntil === null) return null;
  // Whoever had the run before this engine had renewed its lease before this engine took it.
  const runsUntil = Math.max(fencedUntil, begun + desk.leaseMs) + called.timeoutMs + desk.clockBoundMs;
  for (let pauseMs: number = HOST_RETRY_MS.first; ; pauseMs = longer(pauseMs)) {
    const asked = desk.clock.now();
    const known = await attach(desk, errand);
    if (known === "unknown") return absent(desk, errand, asked);
    if (known !== "gone") return known;
    const said = { ...lost("The plugin host that it was to go to is out of reach."), runsUntil };
    const left = (endsThere(desk, errand, said) ? runsUntil : begun + patienceMs) - desk.clock.now();
    if (left <= 0) return said;
    await pause(desk, Math.min(pauseMs, left));
  }
}

/** A host has answered, and does not know it. */
async function absent(desk: Desk, errand: Errand, asked: number): Promise<Said | null> {
  if (calledOf(errand).effect.class !== "pure") {
    const until = await asking(desk, errand, () => desk.world.store.fencedUntil());
    if (until === null) return null;
    if (asked <= until + desk.clockBoundMs) {
      errand.waits();
      if (!(await passed(desk, errand, until + desk.clockBoundMs))) return null;
      const later = await attach(desk, errand);
      if (later === "gone") return outOfReach(desk, errand, OUT_OF_REACH_MS);
      if (later !== "unknown") return later;
    }
  }
  return lost("No plugin host knows this dispatch, and no engine that could have made it can make it any more.");
}

/** Whether the operation would not go on from there. */
function endsThere(desk: Desk, errand: Errand, said: Said & { readonly runsUntil: number }): boolean {
  const { operation, stopping } = errand;
  const runsUntil = Math.max(operation.runsUntil ?? 0, said.runsUntil);
  const judged = { ...operation, runsUntil };
  // Nobody has said no, so that what was refused before is nothing to it.
  const of = { operation: judged, called: calledOf(errand), at: desk.clock.now(), isStopping: stopping(), isRepeated: false };
  return next(of, said)?.kind === "settle";
}

/**
 * null: not wanted any more. `unknown`: a host has answered, and does not know it; where there are several, none can know one whose start names
 * none. `gone`: the host that its start names is not there; where there is but one, that one has no name.
 */
async function attach(desk: Desk, errand: Errand): Promise<Said | "unknown" | "gone" | null> {
  const { key, operation } = errand;
  const { release, effect } = calledOf(errand);
  for (let pauseMs: number = HOST_RETRY_MS.first; ; pauseMs = longer(pauseMs)) {
    if (!errand.wanted() || !desk.tenure.alive()) return null;
    const { plugins } = desk.world;
    const isSpread = plugins.choose(key.tenant, release) !== undefined;
    if (isSpread !== (operation.host !== null)) return isSpread ? "unknown" : "gone";
    const known = await traced(desk.world, errand, "attach", () =>
      plugins.attach({ ...fenceOf(desk, errand), ...nameOf(errand), ...placeOf(errand) }),
    );
    if (known === null) return errand.wanted() ? "unknown" : null;
    if (known.status === "gone") return errand.wanted() ? "gone" : null;
    if (known.status !== "refused") return saidOfDispatch(known, effect.class);
    if (known.reason === "fenced") errand.fenced();
    await pause(desk, pauseMs);
  }
}

/** Whether PostgreSQL's clock has passed `at` while the errand was still wanted. */
async function passed(desk: Desk, { wanted }: Errand, at: number): Promise<boolean> {
  for (let left = at - desk.clock.now(); left >= 0 && wanted() && desk.tenure.alive(); left = at - desk.clock.now())
    await pause(desk, left + 1);
  return wanted() && desk.tenure.alive();
}

function lost(detail: string): Said & { readonly status: "lost" } {
  return { status: "lost", detail };
}
