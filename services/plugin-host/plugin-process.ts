/**
 * The process of one release and one tenant.
 * 1. It is one tenant's and one release's for its whole life; nothing changes that.
 * 2. Its file is looked at before it starts, and it takes calls only when it describes itself as its manifest does.
 * 3. What it says is believed only about calls it has, and within its bounds; anything else ends it. When it ends, so does every call it has.
 * 4. It is heard every few seconds, or killed; so is one that grows too large, or does not end what has run out of time.
 */
import { isDeepStrictEqual } from "node:util";
import type { Log } from "@woml/boot";
import { type Child, residentMb } from "@woml/child";
import { BOUNDS } from "./bounds.ts";
import type { Broker } from "./broker/broker.ts";
import { Call, type CallSpec, type Over } from "./call.ts";
import type { FromPlugin, Ready, ToPlugin } from "./guest/frames.ts";
import type { Ending } from "./judge.ts";
import type { HostOptions } from "./options.ts";
import { type Approved, type Unpacked, unpack } from "./releases.ts";
import { spawnPlugin } from "./spawn.ts";

const WATCH_MS = 250;
const OVER: string = JSON.stringify({ ok: false, code: "WOML_EGRESS_CANCELLED", message: "The call is over.", ambiguous: false });

/** Why it cannot take calls. `crashed`: it may go better next time. */
export interface StartFault {
  readonly code: "WOML_PLUGIN_CRASHED" | "WOML_PLUGIN_START_FAILED" | "WOML_PLUGIN_MANIFEST_MISMATCH" | "WOML_PLUGIN_RELEASE_INVALID";
  readonly message: string;
}
export interface ProcessPlace {
  readonly folder: string;
  readonly options: HostOptions;
  readonly broker: Broker;
  readonly log: Log;
  /** Once; `asked`: we ended it, for no fault of its own. */
  readonly ended: (process: PluginProcess, asked: boolean) => void;
  /** A call was ended by the plugin's own word. */
  readonly sound: () => void;
}

export class PluginProcess {
  readonly tenant: string;
  readonly digest: string;
  /** Undefined: it takes calls. */
  readonly started: Promise<StartFault | undefined>;
  /** Who waits for it or has a call in it. Held by the pool. */
  users = 0;
  retiring = false;
  dead = false;
  readonly #approved: Approved;
  readonly #place: ProcessPlace;
  readonly #unpacked: Unpacked | undefined;
  readonly #child: Child<ToPlugin> | undefined;
  readonly #resolve: (fault: StartFault | undefined) => void;
  readonly #calls = new Map<number, Call>();
  readonly #overdue = new Map<number, number>();
  readonly #watch: NodeJS.Timeout;
  readonly #startedAt: number = performance.now();
  #ready = false;
  #asked = false;
  #lastCall = 0;
  #late = 0;
  #idleSince: number = performance.now();
  #heardAt = 0;
  #pingedAt = 0;
  #pinged = false;
  #watchedAt: number = performance.now();

  constructor(tenant: string, approved: Approved, place: ProcessPlace) {
    this.tenant = tenant;
    this.digest = approved.release.digest;
    this.#approved = approved;
    this.#place = place;
    const { promise, resolve } = Promise.withResolvers<StartFault | undefined>();
    this.started = promise;
    this.#resolve = resolve;
    this.#watch = setInterval(() => this.#look(), Math.min(WATCH_MS, place.options.pingEveryMs));
    try {
      this.#unpacked = unpack(place.folder, approved);
      this.#child = spawnPlugin(this.#unpacked.path, place.options.rssMb, {
        frame: (frame) => this.#heard(frame),
        fault: (fault) => this.#fail(`it broke the rules: ${fault.message}`),
        ended: (how, lastWords) => this.#gone(how, lastWords),
      });
    } catch (error) {
      const code = this.#unpacked === undefined ? "WOML_PLUGIN_RELEASE_INVALID" : "WOML_PLUGIN_CRASHED";
      this.#resolve({ code, message: error instanceof Error ? error.message : "It cannot be started." });
      queueMicrotask(() => this.#gone("not started", ""));
    }
  }

  get pid(): number {
    return this.#child?.pid ?? 0;
  }
  get open(): boolean {
    return !this.retiring && !this.dead;
  }
  get idleMs(): number {
    return this.users > 0 ? 0 : performance.now() - this.#idleSince;
  }

  /** Gives it a call. In one that has ended meanwhile the call is lost, and nothing of it has left. */
  begin(spec: CallSpec): Call {
    this.#lastCall += 1;
    const number = this.#lastCall;
    const call = new Call(spec, { number, broker: this.#place.broker, send: (frame) => this.#send(frame) });
    this.#calls.set(number, call);
    void call.over.then((over) => this.#concluded(number, over));
    if (this.dead) call.end({ ended: "lost", how: "before it was given the call" });
    return call;
  }
  /** Ends it although it did nothing wrong. */
  end(): void {
    this.#asked = true;
    this.#die("it was ended");
  }
  /** No more calls; it ends with the last it has. */
  retire(): void {
    this.retiring = true;
    if (this.#calls.size === 0) this.end();
  }
  release(): void {
    this.users -= 1;
    this.#idleSince = performance.now();
  }

  #send(frame: ToPlugin): void {
    if (this.dead) return;
    this.#child?.wire.send(frame);
    if ((this.#child?.wire.unsent ?? 0) > BOUNDS.unsentBytes) this.#fail("it does not take what it is told");
  }
  #heard(frame: FromPlugin): void {
    if (this.dead) return;
    if (frame.frame === "pong") this.#ponged();
    else if (frame.frame === "ready" || frame.frame === "broken") this.#introduced(frame);
    else if (!Number.isSafeInteger(frame.call) || frame.call > this.#lastCall) this.#fail("it spoke of a call that it does not have");
    else this.#about(frame);
  }
  #about(frame: Exclude<FromPlugin, { frame: "pong" | "ready" | "broken" }>): void {
    const call = this.#calls.get(frame.call);
    if (call === undefined || call.ended) this.#tooLate(frame);
    else if (frame.frame === "request" || frame.frame === "log") {
      const complaint = frame.frame === "request" ? call.request(frame) : call.line(frame.text);
      if (complaint !== undefined) this.#fail(complaint);
    } else call.end(endingOf(frame));
  }
  /** What it says of a call that is over is dropped; its last word on it shows that it has let go. */
  #tooLate(frame: Exclude<FromPlugin, { frame: "pong" | "ready" | "broken" }>): void {
    this.#late += 1;
    if (frame.frame === "request") this.#send({ frame: "answer", call: frame.call, request: frame.request, answer: OVER });
    else if (frame.frame !== "log") this.#overdue.delete(frame.call);
    if (this.#late > BOUNDS.lateFrames) this.#fail("it does not stop speaking of what is over");
  }
  #introduced(frame: Extract<FromPlugin, { frame: "ready" | "broken" }>): void {
    if (this.#ready) this.#fail("it introduced itself twice");
    else if (frame.frame === "broken") this.#refuse({ code: "WOML_PLUGIN_START_FAILED", message: frame.message });
    else if (!describes(frame, this.#approved)) {
      this.#refuse({ code: "WOML_PLUGIN_MANIFEST_MISMATCH", message: "The artefact does not describe itself as its manifest does." });
    } else {
      this.#ready = true;
      this.#heardAt = performance.now();
      this.#resolve(undefined);
    }
  }
  #refuse(fault: StartFault): void {
    this.#resolve(fault);
    this.#die(fault.message);
  }

  #concluded(number: number, { ending }: Over): void {
    this.#calls.delete(number);
    if (ending.ended === "timed_out") this.#overdue.set(number, performance.now());
    else if (ending.ended !== "lost") {
      this.#late = 0;
      this.#place.sound();
    }
    if (this.retiring) this.retire();
  }

  #look(): void {
    const now = performance.now();
    // Who was stopped himself has no right to call another silent.
    if (now - this.#watchedAt > 4 * WATCH_MS) this.#heardAt = now;
    this.#watchedAt = now;
    const { startMs, rssMb, idleMs } = this.#place.options;
    if (!this.#ready && now - this.#startedAt > startMs) this.#fail(`it did not start within ${startMs} ms`);
    if (this.#ready) this.#ping(now);
    if (this.#ready && this.idleMs > idleMs) this.end();
    if (now - Math.min(now, ...this.#overdue.values()) > BOUNDS.graceMs) this.retire();
    if (this.pid > 0)
      residentMb(this.pid, (mb) => {
        if (mb > rssMb) this.#fail(`it used more than ${rssMb} MB`);
      });
  }
  #ping(now: number): void {
    const { pingEveryMs, pongWithinMs } = this.#place.options;
    if (now - this.#heardAt > pongWithinMs) this.#fail(`it was silent for ${pongWithinMs} ms`);
    else if (!this.#pinged && now - this.#pingedAt >= pingEveryMs) {
      this.#pinged = true;
      this.#pingedAt = now;
      this.#send({ frame: "ping" });
    }
  }

  #ponged(): void {
    if (!this.#pinged) this.#fail("it answered what it was not asked");
    this.#pinged = false;
    this.#heardAt = performance.now();
  }

  #fail(how: string): void {
    if (this.dead) return;
    this.#place.log.warn({ pid: this.pid, tenant: this.tenant, release: this.digest, how }, "a plugin's process was ended");
    this.#resolve({ code: "WOML_PLUGIN_CRASHED", message: `The plugin's process ended: ${how}.` });
    this.#die(how);
  }
  #die(how: string): void {
    if (this.dead) return;
    this.dead = true;
    this.#child?.kill();
    for (const call of this.#calls.values()) call.end({ ended: "lost", how });
  }
  #gone(how: string, lastWords: string): void {
    // Later ones may hold secrets of its calls.
    if (!this.dead && !this.#ready) this.#place.log.debug({ lastWords }, "a plugin's last words");
    this.#fail(how);
    clearInterval(this.#watch);
    this.#unpacked?.remove();
    this.#place.ended(this, this.#asked);
  }
}

function describes({ manifest }: Ready, { release }: Approved): boolean {
  try {
    return isDeepStrictEqual(JSON.parse(manifest), JSON.parse(release.manifest));
  } catch {
    return false;
  }
}

function endingOf(frame: Exclude<FromPlugin, { frame: "pong" | "ready" | "broken" | "request" | "log" }>): Ending {
  if (frame.frame === "performed") return { ended: "performed", text: frame.result };
  if (frame.frame === "found") return { ended: "found", text: frame.found };
  if (frame.frame === "unfit") return { ended: "unfit", why: frame.why };
  return { ended: "threw", code: frame.code, message: frame.message, ambiguous: frame.ambiguous };
}
