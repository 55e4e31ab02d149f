import type { Dispatch, Fence, Found, Named, Performed } from "./door.ts";

/** Every frame between an engine and the supervisor: 4 bytes length, big endian, then this as JSON. `id` is the engine's, one per question. */
export const PROTOCOL = 2;

export type ToHost = Hello | Clock | Perform | Attach | Reattach | Cancel | Heard | ReleaseHead | Piece | Absent;
export interface Hello {
  readonly frame: "hello";
  readonly protocol: number;
}
/** PostgreSQL's time by the engine's clock: right after its hello and each second, so that a host judges lateness before it is asked for anything. */
export interface Clock {
  readonly frame: "clock";
  readonly now: number;
}
export interface Perform {
  readonly frame: "perform";
  readonly id: number;
  readonly dispatch: Dispatch;
}
export interface Attach {
  readonly frame: "attach";
  readonly id: number;
  readonly ask: Fence & Named;
}
export interface Reattach {
  readonly frame: "reattach";
  readonly id: number;
  readonly dispatch: Dispatch;
}
export interface Cancel {
  readonly frame: "cancel";
  readonly named: Named;
}
/** What the host answered to this question has arrived: an outcome that nobody said this of is kept by a host that drains. */
export interface Heard {
  readonly frame: "heard";
  readonly id: number;
}
/** A release that was wanted; its artefact follows in pieces, in order. */
export interface ReleaseHead {
  readonly frame: "release";
  readonly digest: string;
  readonly manifest: string;
  readonly artefactBytes: number;
}
export interface Piece {
  readonly frame: "piece";
  readonly digest: string;
  readonly base64: string;
}
export interface Absent {
  readonly frame: "absent";
  readonly digest: string;
  /** `unknown`: it is not stored; `unavailable`: nobody could tell. */
  readonly reason: "unknown" | "unavailable";
}

export type FromHost = Welcome | Draining | Closing | PerformedFrame | AttachedFrame | FoundFrame | Wanted;
export interface Welcome extends Hello {
  readonly layers: readonly string[];
  /** Which process this is: a UUID, new at each start. */
  readonly host: string;
}
/** It is about to end: nothing new is to be given to it. What was chosen for it already it still takes. */
export interface Draining {
  readonly frame: "draining";
}
/** The last frame. What it took it has answered before; what it has not answered it did not take, and never will. */
export interface Closing {
  readonly frame: "closing";
}
export interface PerformedFrame {
  readonly frame: "performed";
  readonly id: number;
  readonly performed: Performed;
}
export interface AttachedFrame {
  readonly frame: "attached";
  readonly id: number;
  readonly performed: Performed | null;
}
export interface FoundFrame {
  readonly frame: "found";
  readonly id: number;
  readonly found: Found;
}
/** At most one question at a time for a digest. */
export interface Wanted {
  readonly frame: "wanted";
  readonly digest: string;
}
