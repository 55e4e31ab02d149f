import type { Log, Span, Telemetry } from "@woml/boot";
import { faults, type OperationManifest } from "@woml/capability";
import { BOUNDS } from "./bounds.ts";
import type { Broker } from "./broker/broker.ts";
import { idempotencyOf } from "./broker/idempotency.ts";
import { type Redactor, redactor } from "./broker/redact.ts";
import type { Call, CallSpec } from "./call.ts";
import type { Dispatch, Found, Performed } from "./door.ts";
import { type Fences, type Refused, refused } from "./fence.ts";
import { named, openInput } from "./handles.ts";
import { type Judged, judgeFound, judgePerformed } from "./judge.ts";
import type { PluginProcess } from "./plugin-process.ts";
import type { Pool, Unusable } from "./pool.ts";
import type { Running } from "./registry.ts";
import type { Approved, Releases, Source } from "./releases.ts";
import { message } from "./texts.ts";

export interface Means {
  readonly releases: Releases;
  readonly pool: Pool;
  readonly broker: Broker;
  readonly fences: Fences;
  readonly log: Log;
  readonly telemetry: Telemetry;
}
/** Nothing was given to a plugin, and nothing will be. */
interface Hopeless {
  readonly code: string;
  readonly message: string;
}
interface Prepared {
  readonly approved: Approved;
  readonly operation: OperationManifest;
  readonly redactor: Redactor;
  readonly spec: Omit<CallSpec, "kind" | "until">;
}

const CANCELLED: Hopeless = { code: "WOML_PLUGIN_CANCELLED", message: "It was cancelled before the plugin was given it." };

/** Never rejects. */
export async function perform(running: Running, means: Means): Promise<Performed> {
  const { dispatch } = running;
  const startedAt = Date.now();
  let cancelled = false;
  running.cancel = () => {
    cancelled = true;
  };
  const prepared = await prepare(dispatch, running.source, means);
  if ("status" in prepared) return prepared;
  if ("code" in prepared) return nothingDone(prepared, false);
  const span = spanOf(dispatch, prepared, { startedAt, telemetry: means.telemetry });
  const done = await means.pool.use(dispatch.tenant, prepared.approved, async (process) => {
    const until = performance.now() + dispatch.timeoutMs;
    const overtaken = running.overtaken();
    if (overtaken !== undefined) return overtaken;
    if (cancelled) return nothingDone(CANCELLED, false);
    const call = process.begin({ kind: "perform", until, ...prepared.spec });
    running.cancel = () => call.cancel();
    return judgePerformed(...(await judgedOf(call, dispatch, prepared)));
  });
  const performed =
    "status" in done
      ? done
      : nothingDone({ ...done, message: message(prepared.redactor, done.message) }, done.code === "WOML_PLUGIN_CRASHED");
  span.set({ outcome: performed.status });
  span.end("code" in performed ? performed.code : performed.status === "refused" ? performed.reason : undefined);
  return performed;
}

/** Of what the plugin says only its code is told, which is looked through for secrets; of where it went nothing. */
function spanOf(
  { tenant, run, operation, effect, trace }: Dispatch,
  { approved }: Prepared,
  { startedAt, telemetry }: { readonly startedAt: number; readonly telemetry: Telemetry },
): Span {
  const capability = approved.manifest.id;
  const attributes = { tenant, run, capability, operation, effect };
  return telemetry.span(`plugin ${capability}.${operation}`, { parent: trace, kind: "server", startedAt, attributes });
}

/** Never rejects. Asked of the provider: nothing is performed by it, so it is not kept and not joined. */
export async function reattach(dispatch: Dispatch, source: Source, means: Means): Promise<Found> {
  const refusal = means.fences.check(dispatch);
  if (refusal !== undefined) return refusal;
  const prepared = await prepare(dispatch, source, means);
  if ("status" in prepared) return prepared;
  if ("code" in prepared) return { status: "unknown", message: `${prepared.code}: ${prepared.message}`.slice(0, BOUNDS.messageChars) };
  const rules = { ...prepared.spec.rules, reattach: true };
  const ask = async (process: PluginProcess): Promise<Found> => {
    const until = performance.now() + dispatch.timeoutMs;
    const overtaken = means.fences.recheck(dispatch);
    if (overtaken !== undefined) return overtaken;
    return judgeFound(...(await judgedOf(process.begin({ ...prepared.spec, kind: "reattach", until, rules }), dispatch, prepared)));
  };
  return found(await means.pool.use(dispatch.tenant, prepared.approved, ask), prepared.redactor);
}

function found(done: Found | Unusable, hidden: Redactor): Found {
  if ("status" in done) return done;
  // A crash may be over the next time; an artefact that is not what was reviewed is not.
  if (done.code === "WOML_PLUGIN_CRASHED") return refused("unavailable", message(hidden, done.message));
  return { status: "unknown", message: message(hidden, `${done.code}: ${done.message}`) };
}

async function judgedOf(call: Call, { effect }: Dispatch, { operation, redactor }: Prepared) {
  const { ending, traffic } = await call.over;
  const summary = message(redactor, traffic.summary, BOUNDS.evidenceChars);
  const judged: Judged = { operation, effect, redactor, traffic: { ...traffic, summary } };
  return [ending, judged] as const;
}

const nothingDone = ({ code, message: text }: Hopeless, retryable: boolean): Performed => ({
  ...{ status: "failed", code, message: text, retryable },
  evidence: "It was not given to the plugin.",
});

async function prepare(dispatch: Dispatch, source: Source, { releases, log }: Means): Promise<Prepared | Hopeless | Refused> {
  const approved = await releases.get(dispatch.release, source);
  if ("missing" in approved) {
    const { missing, why } = approved;
    if (missing === "lost") return refused("unavailable", why);
    const code = missing === "unknown" ? "WOML_PLUGIN_RELEASE_MISSING" : "WOML_PLUGIN_RELEASE_INVALID";
    return { code, message: why.slice(0, BOUNDS.messageChars) };
  }
  const { manifest } = approved;
  const operation = Object.hasOwn(manifest.operations, dispatch.operation) ? manifest.operations[dispatch.operation] : undefined;
  if (operation === undefined) return { code: "WOML_PLUGIN_OPERATION_UNKNOWN", message: `${manifest.id} has no ${dispatch.operation}.` };
  const opened = opening(dispatch.input, operation);
  if ("code" in opened) return opened;
  const hidden = redactor({ ...dispatch.secrets, ...named(opened.placeholders) });
  const { tenant, effect, key, secrets, timeoutMs } = dispatch;
  const about = { tenant, run: dispatch.run, trace: dispatch.trace, release: dispatch.release };
  const idempotency = idempotencyOf(operation.idempotency, opened.value, key);
  const spec: Prepared["spec"] = {
    ...{ operation: dispatch.operation, key, try: dispatch.try, timeoutMs, input: JSON.stringify(opened.value) },
    rules: { tenant, manifest, effect, reattach: false, idempotency, placeholders: opened.placeholders, secrets },
    line: (text) => log.debug({ ...about, line: message(hidden, text, BOUNDS.logChars) }, "a plugin's line"),
  };
  return { approved, operation, redactor: hidden, spec };
}

function opening(stored: string, { input, maxInputBytes }: OperationManifest): ReturnType<typeof openInput> | Hopeless {
  const invalid = (why: string): Hopeless => ({ code: "WOML_PLUGIN_INPUT_INVALID", message: `The input cannot be taken: ${why}.` });
  try {
    const opened = openInput(stored);
    const bytes = Buffer.byteLength(JSON.stringify(opened.value));
    const [fault] = bytes > maxInputBytes ? [`it is larger than ${maxInputBytes} bytes`] : faults(input, opened.value);
    return fault === undefined ? opened : invalid(fault);
  } catch {
    return invalid("it is no stored input");
  }
}
