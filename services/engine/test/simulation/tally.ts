import { CONSTRUCTS, OUTCOMES } from "./outcome.ts";

const CLASSES = ["pure", "keyed", "reattachable", "unsafe"];
/** What every dispatch may meet, whatever its class. */
const FATES = [
  ...["answered", "declined", "nothing left", "lost before", "lost after", "late", "slow"],
  ...["host died", "connection lost", "engine died"],
];

/** Every kind of point that a simulation must come by; one that none of its seeds has met is a hole in it. */
const POINTS = [
  ...[
    "openLease",
    "renew",
    "release",
    "fence",
    "claim",
    "due",
    "inbox",
    "opens",
    "load",
    "definitions",
    "modules",
    "append",
    "answer",
  ].flatMap((call) => [`${call}: died before`, `${call}: died after`, `${call}: answer lost`]),
  "claim: done",
  "cancel of a held run",
  "hold: done",
  "append: not done",
  "invoke: died before",
  "invoke: died after",
  "supervisor lost",
  "ring lost",
  "ring doubled",
  "ring late",
  "engine paused",
  "lease lapsed in a pause",
  "lease session broken",
  "engine stopped",
  "clock set back",
  "clock set forward",
  "cancel of a waiting run",
  "cancel with its start",
  "cancel of an ended run",
  "definition changed",
  ...["module changed", "sent with a module", "held for a module"],
  ...["ok", "script_threw", "invalid_result", "cpu_exceeded", "worker_crashed", "host_unavailable", "overloaded"].map(
    (name) => `outcome ${name}`,
  ),
  ...["engine", "host", "worker"].map((lost) => `attempt_resumed: ${lost}`),
  ...["succeeded", "failed", "cancelled", "held"].map((end) => `run ${end}`),
  ...CLASSES.flatMap((effect) => FATES.map((fate) => `${effect}: ${fate}`)),
  ...["keyed: doubled", "reattachable: doubled", "unknown: its window had passed", "unknown: dispatched too often"],
  ...["perform", "attach", "reattach", "fencedUntil", "standing", "manifest"].map((call) => `${call}: answer lost`),
  ...["succeeded", "failed", "pending", "not_found", "unknown"].map((said) => `asked: ${said}`),
  ...["lost", "ambiguous", "pending", "not_found", "cannot_tell"].map((reason) => `doubted: ${reason}`),
  ...["succeeded", "failed", "unknown", "unknown, told"].map((status) => `settled: ${status}`),
  ...["script", "recovery", "person", "reused", "inherited"].map((by) => `started: ${by}`),
  ...["unavailable", "overloaded", "fenced", "late"].map((reason) => `refused: ${reason}`),
  ...["WOML_OPERATION_CONFLICT", "WOML_CAPABILITY_NOT_GRANTED", "WOML_PLUGIN_REVOKED"].map((code) => `refused: ${code}`),
  ...["WOML_SECRET_NOT_SET", "WOML_CAPABILITY_NOT_GRANTED", "WOML_OPERATION_UNAVAILABLE"].map((code) => `not begun: ${code}`),
  ...["succeeded", "failed", "retry", "attempt succeeded", "attempt failed", "attempt retry"].map((verdict) => `resolved: ${verdict}`),
  ...["answered: RESOLUTION_STALE", "answered: RUN_ALREADY_TERMINAL"],
  ...["attempt_parked", "attempt_resumed: null", "attempt_diverged", "stop_decided", "run needed a person", "grant withdrawn"],
  "stalled before a dispatch left",
  ...["host crashed with a dispatch", "host drained", "a frame came in after its line had broken", "out of reach, then answered"],
  ...CLASSES.map((effect) => `${effect}: partitioned while performing`),
  ...["doubted: unsent", "doubted: lost, its host out of reach"],
  "taken after its host was said to be out of reach",
  ...["outcome waiting", "outcome wall_exceeded", "outcome diverged"],
  ...["step_retry_scheduled", "deadline_reached", "parallel_settled", "choice_settled", "step_cancelled"],
  "taken over while scripts ran",
  ...CONSTRUCTS.flatMap((construct) => OUTCOMES.map((outcome) => `${construct}: ${outcome}`)),
  ...["approved by human", "rejected by human", "rejected by timeout", "timeout"].map((end) => `approval: ${end}`),
  ...["undelivered"].map((end) => `approval: ${end}`),
  ...[
    "branch that is waited for failed",
    "branch that nobody waits for failed",
    "main_failed",
    "iterations_skipped",
    "run waits for a person",
  ],
  ...["state counted", "call of a workflow: succeeded", "start of a workflow: succeeded"],
  ...["accepted", "WOML_EVENT_CYCLE"].map((outcome) => `signal: ${outcome}`),
  ...["FAILED", "CANCELLED", "TIMED_OUT", "CYCLE", "WAIT_UNSUPPORTED"].map((end) => `call of a workflow: WOML_WORKFLOW_CALL_${end}`),
  ...["resumed", "resumed again", "resumed with another payload", "rerun"],
  ...["succeeded", "failed", "cancelled", "lost in it"].map((end) => `resumed: ${end}`),
  ...["succeeded", "failed"].map((end) => `rerun: ${end}`),
  ...[
    "output_inherited",
    "effect_inherited: succeeded",
    "effect_inherited: unknown",
    "key_inherited",
    "sent in the window of an earlier run",
  ],
  ...["RUN_NOT_ENDED", "RESUME_FROM_INVALID", "RESUME_NOT_REACHED", "RESUME_EFFECT_UNKNOWN"].map((code) => `resume refused: WOML_${code}`),
  ...["no room to begin", "no room to go on", "a place was left to others", "taken out of the line", "cancel of a run in line"],
  ...["decided late", "answered: APPROVAL_NOT_WAITING"],
] as const;
export type Point = (typeof POINTS)[number] | (string & {});

export class Tally {
  readonly #hits = new Map<string, number>(POINTS.map((point) => [point, 0]));

  hit(point: Point): void {
    this.#hits.set(point, (this.#hits.get(point) ?? 0) + 1);
  }
  add(other: Tally): void {
    for (const [point, hits] of other.#hits) this.#hits.set(point, (this.#hits.get(point) ?? 0) + hits);
  }
  get missed(): readonly string[] {
    return [...this.#hits].filter(([, hits]) => hits === 0).map(([point]) => point);
  }
  toString(): string {
    const wide = Math.max(...[...this.#hits.keys()].map((point) => point.length));
    return [...this.#hits].map(([point, hits]) => `${point.padEnd(wide)} ${hits}`).join("\n");
  }
}
