/**
 * What a stored history breaks, by the numbered invariants of fold.ts. Every code is one illegal history; none can be made by decide, so
 * one found in a store means a stranger's hand or a bug, and the run is held.
 */
export const brokenLogCodes = {
  WOML_LOG_SEQUENCE: "F1: events are numbered from 1 without gaps",
  WOML_LOG_TYPE: "F1: every event is of a known type",
  WOML_LOG_TIME: "F2: time never goes back",
  WOML_LOG_ADMISSION: "F3: run_admitted is the first event and comes once",
  WOML_LOG_AFTER_END: "F4: nothing follows a terminal event",
  WOML_LOG_START: "F5: the run starts once, and nothing works before",
  WOML_LOG_ATTEMPT: "F6: a node has one attempt at a time, numbered 1, 2, 3 …",
  WOML_LOG_RETRY: "F7: attempt n + 1 is scheduled directly after attempt n failed, and starts when it is due",
  WOML_LOG_ATTEMPT_END: "F8: only an open attempt ends, and once",
  WOML_LOG_OUTPUT: "F9: a node has one output",
  WOML_LOG_RESUME: "F10: an open attempt's resumes are counted from 1, by what was lost",
  WOML_LOG_PARALLEL: "F11: a group opens once, settles once, and names its failed and cancelled steps truly",
  WOML_LOG_CHOICE: "F12: a choice selects once, then settles once",
  WOML_LOG_STOP: "F13: one cancel, deadline or stop at most; after it, or after a failure for good, nothing begins",
  WOML_LOG_OUTCOME: "F14: one outcome, nothing open, and it is the one the history allows",
  WOML_LOG_END: "F15: the terminal event directly follows its outcome and says the same",
  WOML_LOG_DATA: "F16: an event carries what its type says",
  WOML_LOG_CALL: "F17: only a script that runs calls, numbered 1, 2, 3 …, and has seen only what was answered",
  WOML_LOG_TRY: "F18: each dispatch has a start of its own, counted by one until the operation has settled",
  WOML_LOG_KEY: "F19: a key stands once in an attempt; what an earlier attempt achieved under it is reused",
  WOML_LOG_SETTLEMENT: "F20: a try settles once, while it is the last",
  WOML_LOG_PENDING: "F21: a step has no outcome while an operation of it is pending or waits for a person, and no retry with an unknown",
  WOML_LOG_RESOLUTION: "F22: a person resolves only what waits for a person",
  WOML_LOG_REPEAT: "F23: a dispatch is repeated only as its class allows, or by a person",
  WOML_LOG_FORK: "F26: a fork opens once, its branches settle once, and its join as they do",
  WOML_LOG_LOOP: "F25: an iteration is started once and in order, ends once, and work inside belongs to one that goes on",
  WOML_LOG_APPROVAL: "F27: an approval is requested once and ends once, by a person or when its time is over",
  WOML_LOG_HOOK: "F28: a hook is requested once, only its actions run, and it settles with the last of them",
  WOML_LOG_INHERITED: "F29: outputs and operations are inherited before the start, by a run that resumes another",
  WOML_LOG_LIMIT: "F30: each limit warns once",
  WOML_LOG_PARK: "F24: only a script that runs is parked, while operations of it are pending, or diverges",
} as const;
export type BrokenLogCode = keyof typeof brokenLogCodes;

/** Thrown by fold: the history is illegal at `seq`. Infrastructure, never an author's mistake. */
export class BrokenLog extends Error {
  override readonly name = "BrokenLog";
  readonly code: BrokenLogCode;
  readonly seq: number;

  constructor(code: BrokenLogCode, seq: number) {
    super(`${code} at event ${seq}: ${brokenLogCodes[code]}`);
    this.code = code;
    this.seq = seq;
  }
}
