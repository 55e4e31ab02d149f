/**
 * One operation that has a start and no outcome: dispatched, joined or asked about, until something can be said of it. Invariants:
 *
 *  O1 A dispatch leaves only for a try whose start is stored, with `alive` asked and the fence filled in in the turn that hands it over.
 *  O2 Only a start that this driver wrote itself is dispatched, once, to the host that it names; again only when the host refused it, which
 *     says that nothing was done. Only of such a start, and only while no host has taken it, is it said that it was not sent.
 *  O3 Anything else is joined (join.ts): a host that knows it tells. What no host knows is lost; where it may have had an effect, only after
 *     the lease of every fenced engine is over by clockBoundMs, and then the host is asked once more.
 *  O4 What cannot be begun has failed in this try, with a code of the platform's: what that says of earlier tries is judged by decide (D14).
 *  O5 An operation is dispatched again under its key only while KEY_SHARE of the key's window lasts, and its plugin gets no longer than the
 *     rest of it: a request that comes later finds the key forgotten.
 *  O6 Values of secrets are in a dispatch and nowhere else.
 *  O7 In a run or a group that stops nothing is begun, and no try of it is dispatched.
 */

import type { OperationState } from "@woml/run";
import { HOST_RETRY_MS, KEY_SHARE, REPEAT_MS } from "../bounds.ts";
import type { Said } from "../decide/command.ts";
import type { World } from "../engine.ts";
import { asking, calledOf, type Desk, type Errand, fenceOf, longer, nameOf, pause, placeOf } from "./errand.ts";
import { outOfReach } from "./join.ts";
import { cannotTell, saidOfDispatch, saidOfProvider } from "./said.ts";
import { valuesOf } from "./secret.ts";
import { traced } from "./traced.ts";

/** Dispatches a try that was never handed over. null: not wanted any more. */
export async function begin(desk: Desk, errand: Errand): Promise<Said | null> {
  const { by, try: number, unsent, tryAt } = errand.operation;
  const { effect, timeoutMs } = calledOf(errand);
  const dispatches = number - unsent.count;
  let isGiven = false;
  if (by === "recovery" && dispatches > 2 && unsent.since === null) await pause(desk, repeatPauseMs(dispatches));
  for (let pauseMs: number = HOST_RETRY_MS.first; ; pauseMs = longer(pauseMs)) {
    const ready = await asking(desk, errand, () => preparation(desk, errand));
    if (ready === null || !desk.tenure.alive()) return null;
    if ("said" in ready) return ready.said;
    const performed = await handOver(desk, errand, ready.secrets);
    if (performed.status === "out_of_reach") return outOfReach(desk, errand, 0);
    if (performed.status === "gone" && isElsewhere(desk, errand)) return notSent(errand, isGiven);
    if (performed.status !== "refused" && performed.status !== "gone") return saidOfDispatch(performed, effect.class);
    isGiven ||= performed.status === "refused";
    if (performed.status === "refused" && performed.reason === "fenced") errand.fenced();
    const isOver = desk.clock.now() >= (unsent.since ?? tryAt) + timeoutMs;
    if (isOver) return cannotBegin("WOML_OPERATION_UNAVAILABLE", performed.status === "refused" ? performed.message : GONE);
    await pause(desk, pauseMs);
  }
}

const GONE = "Its plugin host was gone before it was given anything.";

/** A refusal says that nothing was done; of what has no effect, only that nobody knows. */
function notSent(errand: Errand, isGiven: boolean): Said {
  const isLost = isGiven && calledOf(errand).effect.class === "pure";
  return isLost ? { status: "lost", detail: "Its plugin host went away." } : { status: "unsent", detail: GONE };
}

/** To exactly the host that its start names; to nobody where that names none. */
async function handOver(desk: Desk, errand: Errand, secrets: Values): ReturnType<Hosts["perform"]> {
  if (errand.operation.host === "") return { status: "gone" };
  return traced(desk.world, errand, "perform", (trace) =>
    desk.world.plugins.perform({ ...dispatchOf(desk, errand), ...placeOf(errand), ...trace, secrets }),
  );
}

/** Another host is there for it than the one that its start names. */
function isElsewhere({ world }: Desk, errand: Errand): boolean {
  const chosen = world.plugins.choose(errand.key.tenant, calledOf(errand).release);
  return chosen !== null && chosen !== errand.operation.host;
}

/** Asks the provider what became of it. null: not wanted any more. */
export async function ask(desk: Desk, errand: Errand): Promise<Said | null> {
  const { capability, operation, release } = calledOf(errand);
  for (let pauseMs: number = HOST_RETRY_MS.first; ; pauseMs = longer(pauseMs)) {
    const secrets = await asking(desk, errand, () => valuesOf(desk, errand));
    const promised = secrets && (await asking(desk, errand, () => desk.plugins.promised(release, capability, operation)));
    if (secrets === null || !errand.wanted() || !desk.tenure.alive()) return null;
    if ("missing" in secrets) return cannotTell(secrets.missing.message);
    const askedAt = desk.clock.now();
    const found = await traced(desk.world, errand, "reattach", (trace) =>
      desk.world.plugins.reattach({ ...questionOf(desk, errand), ...trace, secrets: secrets.values }),
    );
    if (found.status === "not_found") return { status: "not_found", askedAt };
    if (found.status !== "refused") return saidOfProvider(found, promised?.operation.retryable ?? []);
    if (found.reason === "fenced") errand.fenced();
    await pause(desk, pauseMs);
  }
}

/** The values it needs, or what has to be said because it cannot be begun. */
async function preparation(desk: Desk, errand: Errand): Promise<{ readonly secrets: Values } | { readonly said: Said }> {
  const { key, operation, stopping } = errand;
  const called = calledOf(errand);
  const refuse = (code: string, message: string) => ({ said: cannotBegin(code, message) });
  const objection = await desk.plugins.objection(key.tenant, called.release);
  if (objection !== null) return refuse(objection.code, objection.message);
  const secrets = await valuesOf(desk, errand);
  if ("missing" in secrets) return refuse(secrets.missing.code, secrets.missing.message);
  if (stopping()) return refuse("WOML_OPERATION_CANCELLED", "What called this operation ends, and it was not begun.");
  if (desk.clock.now() >= windowOf(operation).lastAt)
    return refuse("WOML_OPERATION_WINDOW_PASSED", "The provider may have forgotten the key.");
  return { secrets: secrets.values };
}

/** O4. */
function cannotBegin(code: string, message: string): Said {
  const retryable = code !== "WOML_OPERATION_CANCELLED";
  return { status: "failed", failure: { code, message, retryable, ambiguous: false }, evidence: "Nothing was dispatched in this try." };
}

/** The first repeat goes at once; a provider that loses that too is given time. */
function repeatPauseMs(number: number): number {
  return Math.min(REPEAT_MS.first * 2 ** (number - 3), REPEAT_MS.most);
}

/** O5. A person who asks for it has decided, and what is proven not to be done needs no key. */
function windowOf({ called, isDoubtful, windowFrom }: OperationState): { readonly lastAt: number; readonly forgottenAt: number } {
  const windowMs = isDoubtful ? (called?.effect.windowMs ?? Number.POSITIVE_INFINITY) : Number.POSITIVE_INFINITY;
  return { lastAt: windowFrom + windowMs * KEY_SHARE, forgottenAt: windowFrom + windowMs };
}

type Hosts = World["plugins"];
type Values = Parameters<Hosts["perform"]>[0]["secrets"];
type Unsealed = Omit<Parameters<Hosts["perform"]>[0], "secrets">;
function dispatchOf(desk: Desk, errand: Errand): Unsealed {
  const question = questionOf(desk, errand);
  const { lastAt, forgottenAt } = windowOf(errand.operation);
  return {
    ...question,
    notAfter: Math.min(question.notAfter, Math.floor(lastAt)),
    timeoutMs: Math.max(1, Math.min(question.timeoutMs, forgottenAt - question.now)),
  };
}

function questionOf(desk: Desk, errand: Errand): Unsealed {
  const { release, operation, effect, input, timeoutMs } = calledOf(errand);
  return { ...fenceOf(desk, errand), ...nameOf(errand), release, operation, effect: effect.class, input: JSON.stringify(input), timeoutMs };
}
