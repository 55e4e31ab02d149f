import { hash } from "node:crypto";
import type { Duplex } from "node:stream";
import type { Log } from "@woml/boot";
import { openWireAt, type Place, type Wire } from "@woml/child";
import { BOUNDS } from "./bounds.ts";
import { type FromSupervisor, type Invoke, type Module, PROTOCOL, type ToSupervisor, type Work } from "./frames.ts";
import type { Job } from "./job.ts";
import { parseToSupervisor } from "./parse.ts";
import type { Pool } from "./pool.ts";
import { Shelf, type Text, textsOf } from "./shelf.ts";
import { LAYERS } from "./spawn.ts";

/** So long an engine may take to read its last outcomes. */
const FINISH_MS = 1_000;

interface Room {
  readonly place: Place;
  readonly pool: Pool;
  readonly log: Log;
  readonly number: () => string;
  readonly gone: () => void;
}

interface Asked extends Pick<Invoke, "invocation" | "tenant"> {
  readonly work: Omit<Work, "invocation">;
  readonly texts: readonly Text[];
}

/** One engine. When it goes, whatever it asked for is killed. */
export class Connection {
  readonly #room: Room;
  readonly #jobs = new Map<string, Job>();
  readonly #wire: Wire<FromSupervisor>;
  readonly #shelf = new Shelf<string>();
  readonly #quiet = Promise.withResolvers<void>();
  #greeted = false;
  #drains = false;

  constructor(stream: Duplex, room: Room) {
    this.#room = room;
    this.#wire = openWireAt<FromSupervisor, ToSupervisor>(room.place, stream, {
      maxBytes: BOUNDS.frameBytes,
      parse: parseToSupervisor,
      heard: (frame) => this.#heard(frame),
      closed: (fault) => {
        if (fault !== undefined) room.log.warn({ fault: fault.message }, "an engine was cut off");
        this.#quiet.resolve();
        for (const job of this.#jobs.values()) room.pool.cancel(job);
        room.gone();
      },
    });
  }

  /** Tells the engine that nothing new is taken any more. Resolves when nothing new of it is on its way, or it is gone. */
  drain(): Promise<void> {
    this.#drains = true;
    if (this.#greeted) this.#wire.send({ frame: "draining" });
    return this.#greeted ? this.#quiet.promise : Promise.resolve();
  }
  /** Closes it when the engine has what it was sent. */
  finish(): Promise<void> {
    return this.#wire.finish(FINISH_MS);
  }

  #heard(frame: ToSupervisor): void {
    if (frame.frame === "hello") this.#greet(frame.protocol);
    else if (!this.#greeted) this.#cutOff("it did not say hello");
    else if (frame.frame === "draining") this.#quiet.resolve();
    else if (frame.frame === "module") this.#keep(frame);
    else if (frame.frame === "invoke") this.#invoke(frame);
    else {
      const job = this.#jobs.get(frame.invocation);
      if (job === undefined) return;
      if (frame.frame === "cancel") this.#room.pool.cancel(job);
      else this.#room.pool.answer(job, frame);
    }
  }
  #greet(protocol: number): void {
    this.#wire.send({ frame: "hello", protocol: PROTOCOL, layers: LAYERS });
    this.#greeted = protocol === PROTOCOL;
    if (!this.#greeted) this.#room.log.warn({ protocol }, "an engine speaks another protocol");
    if (this.#drains) void this.drain();
  }
  #keep(module: Module): void {
    if (module.digest === `sha256:${hash("sha256", module.text)}`) this.#shelf.put(module, module.text);
    else this.#cutOff("it sent a module under another digest");
  }
  #invoke(frame: Invoke): void {
    const { frame: _, invocation, tenant, ...work } = frame;
    const texts = textsOf(this.#shelf, work.modules);
    if (this.#jobs.has(invocation)) this.#cutOff("it used an invocation twice");
    else if (texts === undefined) this.#cutOff("it named a module that it had not sent");
    else this.#submit({ invocation, tenant, work, texts });
  }
  #submit({ invocation, tenant, work, texts }: Asked): void {
    const job: Job = {
      work: { ...work, invocation: this.#room.number() },
      ...{ texts, tenant, bytes: weightOf(work, texts) },
      ...{ settled: false, answered: 0, ahead: [] },
      listener: {
        begun: () => this.#wire.send({ frame: "begun", invocation }),
        outcome: (outcome) => {
          this.#jobs.delete(invocation);
          this.#wire.send({ frame: "outcome", invocation, outcome });
        },
        line: (level, text) => this.#wire.send({ frame: "line", invocation, level, text }),
        call: (call) => this.#wire.send({ frame: "call", invocation, ...call }),
      },
    };
    this.#jobs.set(invocation, job);
    this.#room.pool.submit(job);
  }
  #cutOff(why: string): void {
    this.#room.log.warn({ why }, "an engine was cut off");
    this.#wire.end();
  }
}

/** A text that several wait for counts for each: there is no more in memory than that. */
function weightOf({ script, context, attempt, props, lifecycle, notification }: Asked["work"], texts: readonly Text[]): number {
  const all = [script.text, context, attempt, props, lifecycle, notification, ...texts.map(({ text }) => text)];
  return all.reduce((sum, text) => sum + (text?.length ?? 0), 0);
}
