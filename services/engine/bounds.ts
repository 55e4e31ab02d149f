import type { Limits } from "@woml/sandbox";
import type { EngineOptions } from "./engine.ts";

/** A lease is renewed so many times in its length. */
export const RENEWALS = 5;
export const SWEEP_MS = 1_000;
/** A slot that is late by more was missed; missed slots of a trigger are counted up to so many. */
export const SLOT_GRACE_MS = 60_000;
export const SLOTS_COUNTED = 10_000;
/** So long a signal of the platform waits until all that listen to it may start. */
export const SIGNAL_PATIENCE_MS = 60_000;
/** For so long signals of the platform are spread before it is looked again whose turn it is. */
export const SIGNAL_ROUND_MS = 1_000;
/** Of so many quotas it is kept in mind that they were announced. */
export const QUOTAS_TOLD = 10_000;
/** How often runs that nothing moves are counted. */
export const STUCK_MS = 30_000;
/** A start that the engine whose turn it is has left lying for so long is another's; how often that engine is told of those that lie there. */
export const STEAL_MS = 1_000;
export const TELL_MS = 20;
/** After so long the inbox is read again where a lane that seemed to have room had none. */
export const FULL_MS = 25;
/** Rings have claims looked at no more often than this. */
export const CLAIM_MS = 250;
/** Commands of a run judged for one append, and the length of the outputs that they bring. */
export const DECISION_COMMANDS = 128;
export const DECISION_TEXT = 1_048_576;
/** Between tries when the store does not answer. */
export const STORE_RETRY_MS = 250;
/** After so many appends that others were ahead of, a run rests for as long. */
export const OUTDONE_MAX = 64;
/** Rows of the inbox, claims and due runs read at once. */
export const BATCH = 256;
/** Starts taken at once: whose start comes meanwhile waits for so many of another tenant's, and no more. */
export const STARTS = 64;
/** A run claimed this often without an append that moved it is held. */
export const POISON_CLAIMS = 6;
/** Alarms for runs that only wait; the sweep finds the rest. */
export const PARKED_MAX = 10_000;
/** The k-th resume of an attempt is sent (2^(k−1) − 1) times this after its event, so that a supervisor can come back. */
export const RESUME_PAUSE_MS = 100;
/** Accepted definitions in memory: how many, and their text in UTF-16 units. */
export const DEFINITIONS_MAX = 512;
export const DEFINITIONS_TEXT = 67_108_864;
/** What one script is given: its context, props, what its hook is told of, the notice; UTF-8 length of their JSON. */
/** Modules of versions in memory, likewise. */
export const MODULES_MAX = 256;
export const MODULES_TEXT = 67_108_864;
export const CONTEXT_BYTES = 4_194_304;
/** Of a notice's message with its values in it, in UTF-16 units. */
export const MESSAGE_CHARACTERS = 65_536;
export const SCRIPT_LIMITS: Limits = { cpuMs: 1_000, wallMs: 30_000, heapMb: 64, resultBytes: 1_048_576, consoleBytes: 65_536 };

/** UTF-8 length of an operation's input and of its result. */
export const OPERATION_BYTES = 1_048_576;
/** Calls of one attempt, and those of them that have no answer yet: what runs scripts holds the same bounds first. */
export const CALLS = 1_000;
export const CALLS_OPEN = 32;
export const NAME_CHARACTERS = 128;
/** Manifests in memory. A standing is believed for so long, so that a revocation is met within two seconds. */
export const MANIFESTS_MAX = 256;
export const STANDING_MS = 1_000;
/** A call or start of a workflow: UTF-8 length of its payload, how many workflows may stand above it, how long a call waits where it does not say. */
export const CALL_PAYLOAD_BYTES = 1_048_576;
export const CALL_DEPTH = 32;
export const CALL_TIMEOUT_MS = 86_400_000;
/** A script that may call a workflow gives up its isolate so soon when it only waits. */
export const CALL_PARK_MS = 100;
/** Between tries of a dispatch that the plugin host does not take, or of a question that it does not answer: doubling. */
export const HOST_RETRY_MS = { first: 50, most: 1_000 } as const;
/** For how long a plugin host that is not there is waited for, where the operation can go on without it. */
export const OUT_OF_REACH_MS = 5_000;
/** Before the third dispatch of an operation, and the fourth … (doubled), when nobody but the platform asks for them. */
export const REPEAT_MS = { first: 2_000, most: 10_000 } as const;
/** The share of a key's window in which a dispatch may still leave: it has to arrive while the provider knows the key. */
export const KEY_SHARE = 0.95;

/** With so many invocations of a tenant on their way others wait for its workers, and a script that only waits gives up its isolate so soon. */
export const CROWD = { invocations: 8, parkAfterMs: 100 } as const;

export const DEFAULTS: Required<EngineOptions> = {
  drivenMax: 2_000,
  window: 256,
  tenantWindow: 32,
  graceMs: 5_000,
  leaseMs: 15_000,
  clockBoundMs: 500,
  parkAfterMs: 5_000,
};
