/**
 * One operation that has a start and no outcome: dispatched, joined or asked about, until something can be said of it. Invariants:
 *
 *  O1 A dispatch leaves only for a try whose start is stored, with `alive` asked and the fence filled in in the turn that hands it over.
 *  O2 Only a start that this driver wrote itself is dispatched, once; again only when the host refused it, which says that nothing was done.
 *  O3 Anything else is joined: a host that knows it tells. What no host knows is lost; where it may have had an effect, only after the lease
 *     of every fenced engine is over by clockBoundMs, and then the host is asked once more.
 *  O4 What cannot be begun has failed in this try, with a code of the platform's: what that says of earlier tries is judged by decide (D14).
 *  O5 An operation is dispatched again under its key only while KEY_SHARE of the key's window lasts, and its plugin gets no longer than the
 *     rest of it: a request that comes later finds the key forgotten.
 *  O6 Values of secrets are in a dispatch and nowhere else.
 *  O7 In a run that stops nothing is begun, and no try of it is dispatched.
 */
import type { Fence, Named, Performed } from "@woml/plugin-host";
import type { Called, OperationState, RunKey } from "@woml/run";
import { HOST_RETRY_MS, KEY_SHARE, REPEAT_MS, STORE_RETRY_MS } from "../bounds.ts";
import type { Clock } from "../clock.ts";
import type { Said } from "../decide/command.ts";
import type { World } from "../engine.ts";
import type { Tenure } from "../lease.ts";
import type { Plugins } from "../plugins.ts";
import { cannotTell, saidOfDispatch, saidOfProvider } from "./said.ts";
import { valuesOf } from "./secret.ts";

/** What all operations of an engine share. */
export interface Desk {
  readonly world: Pick<World, "store" | "plugins" | "alarm" | "unseal">;
  readonly clock: Clock;
  readonly tenure: Tenure;
  readonly plugins: Plugins;
  readonly clockBoundMs: number;
}
export interface Errand {
  readonly key: RunKey;
  readonly epoch: number;
  readonly operation: OperationState;
  /** False once the driver has let go of it, or the log has moved past it. */
  readonly wanted: () => boolean;
  readonly stopping: () => boolean;
  /** A host has seen a higher epoch of the run: whose it is has to be looked up. */
  readonly fenced: () => void;
}

/** Dispatches a try that was never handed over. null: not wanted any more. */
export async function begin(desk: Desk, errand: Errand): Promise<Said | null> {
  const { by, try: number } = errand.operation;
  if (by === "recovery" && number > 2) await pause(desk, repeatPauseMs(number));
  for (let pauseMs: number = HOST_RETRY_MS.first; ; pauseMs = longer(pauseMs)) {
    const ready = await asking(desk, errand, () => preparation(desk, errand));
    if (ready === null || !desk.tenure.alive()) return null;
    if ("said" in ready) return ready.said;
    const performed = await desk.world.plugins.perform({ ...dispatchOf(desk, errand), secrets: ready.secrets });
    if (performed.status !== "refused") return saidOfDispatch(performed, calledOf(errand).effect.class);
    if (performed.reason === "fenced") errand.fenced();
    const { tryAt } = errand.operation;
    if (desk.clock.now() >= tryAt + calledOf(errand).timeoutMs) return cannotBegin("WOML_OPERATION_UNAVAILABLE", performed.message);
    await pause(desk, pauseMs);
  }
}

/** Finds out about a try that somebody may have dispatched. null: not wanted any more. */
export async function join(desk: Desk, errand: Errand): Promise<Said | null> {
  const asked = desk.clock.now();
  const known = await attach(desk, errand);
  if (known !== "unknown") return known;
  if (calledOf(errand).effect.class !== "pure") {
    const until = await asking(desk, errand, () => desk.world.store.fencedUntil());
    if (until === null) return null;
    if (asked <= until + desk.clockBoundMs) {
      if (!(await passed(desk, errand, until + desk.clockBoundMs))) return null;
      const later = await attach(desk, errand);
      if (later !== "unknown") return later;
    }
  }
  return { status: "lost", detail: "No plugin host knows this dispatch, and no engine that could have made it can make it any more." };
}

/** Asks the provider what became of it. null: not wanted any more. */
export async function ask(desk: Desk, errand: Errand): Promise<Said | null> {
  const { capability, operation, release } = calledOf(errand);
  for (let pauseMs: number = HOST_RETRY_MS.first; ; pauseMs = longer(pauseMs)) {
    const secrets = await asking(desk, errand, () => valuesOf(desk, errand.key.tenant, calledOf(errand)));
    const promised = secrets && (await asking(desk, errand, () => desk.plugins.promised(release, capability, operation)));
    if (secrets === null || !errand.wanted() || !desk.tenure.alive()) return null;
    if ("missing" in secrets) return cannotTell(secrets.missing.message);
    const askedAt = desk.clock.now();
    const found = await desk.world.plugins.reattach({ ...questionOf(desk, errand), secrets: secrets.values });
    if (found.status === "not_found") return { status: "not_found", askedAt };
    if (found.status !== "refused") return saidOfProvider(found, promised?.operation.retryable ?? []);
    if (found.reason === "fenced") errand.fenced();
    await pause(desk, pauseMs);
  }
}

export function nameOf({ key, operation }: Pick<Errand, "key" | "operation">): Named {
  return { tenant: key.tenant, run: key.run, attempt: operation.attempt, key: operation.key, try: operation.try };
}

/** The values it needs, or what has to be said because it cannot be begun. */
async function preparation(
  desk: Desk,
  { key, operation, stopping }: Errand,
): Promise<{ readonly secrets: Readonly<Record<string, string>> } | { readonly said: Said }> {
  const called = calledOf({ operation });
  const refuse = (code: string, message: string) => ({ said: cannotBegin(code, message) });
  const objection = await desk.plugins.objection(key.tenant, called.release);
  if (objection !== null) return refuse(objection.code, objection.message);
  const secrets = await valuesOf(desk, key.tenant, called);
  if ("missing" in secrets) return refuse(secrets.missing.code, secrets.missing.message);
  if (stopping()) return refuse("WOML_OPERATION_CANCELLED", "The run ends, and this operation was not begun.");
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
function windowOf({ called, isDoubtful, firstAt }: OperationState): { readonly lastAt: number; readonly forgottenAt: number } {
  const windowMs = isDoubtful ? (called?.effect.windowMs ?? Number.POSITIVE_INFINITY) : Number.POSITIVE_INFINITY;
  return { lastAt: firstAt + windowMs * KEY_SHARE, forgottenAt: firstAt + windowMs };
}

type Unsealed = Omit<Parameters<World["plugins"]["perform"]>[0], "secrets">;
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

function fenceOf({ clock, tenure }: Desk, { key, epoch }: Errand): Fence {
  return { engine: tenure.engine, run: key.run, epoch, now: clock.now(), notAfter: tenure.notAfter() };
}

/** null: not wanted any more. `unknown`: a host has answered, and does not know it. */
async function attach(desk: Desk, errand: Errand): Promise<Said | "unknown" | null> {
  for (let pauseMs: number = HOST_RETRY_MS.first; ; pauseMs = longer(pauseMs)) {
    if (!errand.wanted() || !desk.tenure.alive()) return null;
    const known: Performed | null = await desk.world.plugins.attach({ ...fenceOf(desk, errand), ...nameOf(errand) });
    if (known === null) return errand.wanted() ? "unknown" : null;
    if (known.status !== "refused") return saidOfDispatch(known, calledOf(errand).effect.class);
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

/** Asks the store until it answers. null: not wanted any more. */
async function asking<T>(desk: Desk, { wanted }: Errand, question: () => Promise<T>): Promise<T | null> {
  while (wanted()) {
    const answer = await question().then(
      (value) => ({ value }),
      () => null,
    );
    if (answer !== null) return wanted() ? answer.value : null;
    await pause(desk, STORE_RETRY_MS);
  }
  return null;
}

function calledOf({ operation }: Pick<Errand, "operation">): Called {
  if (operation.called === null) throw new Error(`${operation.capability}.${operation.operation} was refused, and is no errand`);
  return operation.called;
}

function longer(pauseMs: number): number {
  return Math.min(pauseMs * 2, HOST_RETRY_MS.most);
}

function pause({ world }: Pick<Desk, "world">, ms: number): Promise<void> {
  return new Promise((resolve) => void world.alarm(ms, resolve));
}
