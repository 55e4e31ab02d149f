/** Frames between the supervisor and the process of one release and tenant. `call` is the supervisor's number, never used again. */
export type ToPlugin = Begin | Cancel | Answer | Ping;
export interface Begin {
  readonly frame: "perform" | "reattach";
  readonly call: number;
  readonly operation: string;
  readonly key: string;
  readonly try: number;
  /** JSON text; where the stored input has a handle, a text minted for this call stands. */
  readonly input: string;
}
export interface Cancel {
  readonly frame: "cancel";
  readonly call: number;
}
export interface Answer {
  readonly frame: "answer";
  readonly call: number;
  readonly request: number;
  /** JSON text of a Told. */
  readonly answer: string;
}
export interface Ping {
  readonly frame: "ping";
}
/** What a plugin is told of its request. */
export type Told =
  | { readonly ok: true; readonly response: ToldResponse }
  | { readonly ok: false; readonly code: string; readonly message: string; readonly ambiguous: boolean };
export interface ToldResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly bodyBase64: string;
  readonly url: string;
  readonly redirected: boolean;
}

/** Strangers' code runs where these come from: nothing in them is believed. */
export type FromPlugin = Ready | Broken | Performed | Unfit | Threw | Found | Request | LogLine | Pong;
export interface Ready {
  readonly frame: "ready";
  /** JSON text. */
  readonly manifest: string;
}
/** The artefact cannot be loaded, or is no plugin. */
export interface Broken {
  readonly frame: "broken";
  readonly message: string;
}
export interface Performed {
  readonly frame: "performed";
  readonly call: number;
  /** JSON text. */
  readonly result: string;
}
/** It answered what no result can be. */
export interface Unfit {
  readonly frame: "unfit";
  readonly call: number;
  readonly why: "too_large" | "not_json";
}
export interface Threw {
  readonly frame: "threw";
  readonly call: number;
  /** Null: it was no PluginFailure. */
  readonly code: string | null;
  readonly message: string;
  readonly ambiguous: boolean;
}
export interface Found {
  readonly frame: "found";
  readonly call: number;
  /** JSON text. */
  readonly found: string;
}
export interface Request {
  readonly frame: "request";
  readonly call: number;
  /** From 1 in each call. */
  readonly request: number;
  /** JSON text of an HttpRequest. */
  readonly asked: string;
}
export interface LogLine {
  readonly frame: "log";
  readonly call: number;
  readonly text: string;
}
export interface Pong {
  readonly frame: "pong";
}
