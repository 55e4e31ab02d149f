import type { Duplex } from "node:stream";
import type { Log } from "@woml/boot";
import { openWireAt, type Place, type Wire } from "@woml/child";
import { BOUNDS } from "./bounds.ts";
import type { Found, Named } from "./door.ts";
import type { Fences } from "./fence.ts";
import { Fetching } from "./fetching.ts";
import { type AttachedFrame, type FromHost, type PerformedFrame, PROTOCOL, type ToHost } from "./frames.ts";
import { Kept } from "./kept.ts";
import { parseToHost } from "./parse.ts";
import type { Registry } from "./registry.ts";
import { LAYERS } from "./spawn.ts";
import type { Workshop } from "./workshop.ts";

/** What an engine takes to read the last of what it is told. */
const FINISH_MS = 1_000;

/** What all connections of a supervisor share. */
export interface Room {
  readonly place: Place;
  /** The id of this process. */
  readonly host: string;
  readonly workshop: () => Promise<Workshop>;
  readonly registry: Registry;
  readonly fences: Fences;
  readonly log: Log;
}
type Question = Exclude<ToHost, { frame: "hello" | "clock" | "heard" | "release" | "piece" | "absent" }>;

/** One engine. When it goes, what it asked for goes on: another may ask for it. */
export class Connection {
  readonly #room: Room;
  readonly #wire: Wire<FromHost>;
  readonly #fetching: Fetching;
  /** Dispatches whose outcome was sent and not yet heard of, by the question it answered. */
  readonly #told: Kept<Named> = new Kept({ ms: Number.POSITIVE_INFINITY, count: BOUNDS.keptCount, bytes: BOUNDS.keptBytes });
  #greeted = false;
  #draining = false;

  constructor(stream: Duplex, room: Room, gone: (connection: Connection) => void) {
    this.#room = room;
    this.#fetching = new Fetching((digest) => this.#wire.send({ frame: "wanted", digest }));
    this.#wire = openWireAt<FromHost, ToHost>(room.place, stream, {
      maxBytes: BOUNDS.frameBytes,
      parse: parseToHost,
      heard: (frame) => this.#heard(frame),
      closed: (fault) => {
        if (fault !== undefined) room.log.warn({ fault: fault.message }, "an engine was cut off");
        this.#fetching.close();
        gone(this);
      },
    });
  }

  /** Tells the engine, as soon as it has said hello, to send nothing new. */
  drain(): void {
    this.#draining = true;
    if (this.#greeted) this.#wire.send({ frame: "draining" });
  }
  /** Takes nothing more, and says so. Resolves when the engine has all that it was told, or after a second. */
  finish(): Promise<void> {
    if (this.#greeted) this.#wire.send({ frame: "closing" });
    return this.#wire.finish(FINISH_MS);
  }

  #heard(frame: ToHost): void {
    if (frame.frame === "hello") this.#greet(frame.protocol);
    else if (!this.#greeted) this.#cutOff("it did not say hello");
    else if (frame.frame === "clock") this.#room.fences.hear(frame.now);
    else if (frame.frame === "heard") this.#acknowledged(frame.id);
    else if (frame.frame === "release" || frame.frame === "piece" || frame.frame === "absent") {
      const breach = this.#fetching.heard(frame);
      if (breach !== undefined) this.#cutOff(breach);
    } else void this.#asked(frame);
  }
  async #asked(frame: Question): Promise<void> {
    const { registry } = this.#room;
    const source = (digest: string): ReturnType<Fetching["fetch"]> => this.#fetching.fetch(digest);
    if (frame.frame === "cancel") registry.cancel(frame.named);
    else if (frame.frame === "perform") {
      const performed = await registry.perform(frame.dispatch, source);
      this.#tell(frame.dispatch, { frame: "performed", id: frame.id, performed });
    } else if (frame.frame === "attach") {
      const performed = await registry.attach(frame.ask);
      this.#tell(frame.ask, { frame: "attached", id: frame.id, performed });
    } else this.#wire.send({ frame: "found", id: frame.id, found: await this.#find(frame.dispatch, source) });
  }
  #tell(named: Named, answer: PerformedFrame | AttachedFrame): void {
    const { id, performed } = answer;
    if (performed !== null && performed.status !== "refused") this.#told.set(String(id), named, named.key.length);
    this.#wire.send(answer);
  }
  async #find(...[dispatch, source]: Parameters<Workshop["reattach"]>): Promise<Found> {
    try {
      return await (await this.#room.workshop()).reattach(dispatch, source);
    } catch (error) {
      this.#room.log.error({ error }, "a reattach failed");
      return { status: "unknown", message: "The plugin host failed." };
    }
  }
  #acknowledged(id: number): void {
    const named = this.#told.get(String(id));
    this.#told.delete(String(id));
    if (named !== undefined) this.#room.registry.heard(named);
  }
  #greet(protocol: number): void {
    this.#wire.send({ frame: "hello", protocol: PROTOCOL, layers: LAYERS, host: this.#room.host });
    this.#greeted = protocol === PROTOCOL;
    if (!this.#greeted) this.#room.log.warn({ protocol }, "an engine speaks another protocol");
    else if (this.#draining) this.drain();
  }
  #cutOff(why: string): void {
    this.#room.log.warn({ why }, "an engine was cut off");
    this.#wire.end();
  }
}
