import { mkdirSync, rmSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { Log } from "@woml/boot";
import { listenPrivately, openWire, type Wire } from "@woml/child";
import { BOUNDS } from "./bounds.ts";
import type { Found, Performed } from "./door.ts";
import { Fences } from "./fence.ts";
import { Fetching } from "./fetching.ts";
import { type FromHost, PROTOCOL, type ToHost } from "./frames.ts";
import type { HostOptions } from "./options.ts";
import { parseToHost } from "./parse.ts";
import { Registry, type Running } from "./registry.ts";
import { LAYERS } from "./spawn.ts";
import type { Workshop } from "./workshop.ts";

/** Nobody waits for what is loaded so long after the start, unless an operation came before. */
const LOAD_AFTER_MS = 3_000;
const CANCELLED: Performed = {
  ...{ status: "failed", code: "WOML_PLUGIN_CANCELLED", message: "It was cancelled before the plugin was given it." },
  ...{ retryable: false, evidence: "It was not given to the plugin." },
};
/** What runs when the host is told to end may so long come to its end. */
const DRAIN_MS = 1_000;

export interface Supervisor {
  /** Takes nothing more, waits a moment for what runs, ends every process. */
  stop(): Promise<void>;
}
export interface SupervisorOptions {
  readonly socket: string;
  readonly options: HostOptions;
  readonly log: Log;
}

/** Listens on a unix socket that only its own user may open. */
export async function openSupervisor({ socket, options, log }: SupervisorOptions): Promise<Supervisor> {
  const folder = `${socket}.releases`;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { mode: 0o700 });
  const fences = new Fences();
  let loading: Promise<Workshop> | null = null;
  const workshop = (): Promise<Workshop> => {
    loading ??= import("./workshop.ts").then(({ openWorkshop }) => openWorkshop({ folder, options, fences, log }));
    return loading;
  };
  const warm = setTimeout(() => void workshop(), LOAD_AFTER_MS);
  const registry = new Registry({ fences, keptMs: options.keptMs, perform: (running) => begin(running, workshop) });
  const open = new Set<Connection>();
  const server = createServer((stream) => {
    const connection: Connection = new Connection(stream, { workshop, registry, log, gone: () => void open.delete(connection) });
    open.add(connection);
  });
  await listenPrivately(server, socket);
  return {
    stop: async () => {
      clearTimeout(warm);
      server.close();
      const settled = registry.close();
      await Promise.race([settled, sleep(DRAIN_MS, undefined, { ref: false })]);
      await (await loading)?.close();
      await settled;
      for (const connection of open) connection.end();
      rmSync(folder, { recursive: true, force: true });
      rmSync(socket, { force: true });
    },
  };
}

/** What is cancelled while the workshop is still being opened is not begun. */
async function begin(running: Running, workshop: () => Promise<Workshop>): Promise<Performed> {
  let isCancelled = false;
  running.cancel = () => {
    isCancelled = true;
  };
  const { perform } = await workshop();
  return isCancelled ? CANCELLED : perform(running);
}

interface Room {
  readonly workshop: () => Promise<Workshop>;
  readonly registry: Registry;
  readonly log: Log;
  readonly gone: () => void;
}

/** One engine. When it goes, what it asked for goes on: another may ask for it. */
class Connection {
  readonly #room: Room;
  readonly #wire: Wire<FromHost>;
  readonly #fetching: Fetching;
  #greeted = false;

  constructor(stream: Socket, room: Room) {
    this.#room = room;
    this.#fetching = new Fetching((digest) => this.#wire.send({ frame: "wanted", digest }));
    this.#wire = openWire<FromHost, ToHost>(stream, {
      maxBytes: BOUNDS.frameBytes,
      parse: parseToHost,
      heard: (frame) => this.#heard(frame),
      closed: (fault) => {
        if (fault !== undefined) room.log.warn({ fault: fault.message }, "an engine was cut off");
        this.#fetching.close();
        room.gone();
      },
    });
  }

  end(): void {
    this.#wire.end();
  }

  #heard(frame: ToHost): void {
    if (frame.frame === "hello") this.#greet(frame.protocol);
    else if (!this.#greeted) this.#cutOff("it did not say hello");
    else if (frame.frame === "release" || frame.frame === "piece" || frame.frame === "absent") {
      const breach = this.#fetching.heard(frame);
      if (breach !== undefined) this.#cutOff(breach);
    } else void this.#asked(frame);
  }
  async #asked(frame: Exclude<ToHost, { frame: "hello" | "release" | "piece" | "absent" }>): Promise<void> {
    const { registry, workshop, log } = this.#room;
    const source = (digest: string): ReturnType<Fetching["fetch"]> => this.#fetching.fetch(digest);
    if (frame.frame === "cancel") registry.cancel(frame.named);
    else if (frame.frame === "perform") {
      this.#wire.send({ frame: "performed", id: frame.id, performed: await registry.perform(frame.dispatch, source) });
    } else if (frame.frame === "attach") {
      this.#wire.send({ frame: "attached", id: frame.id, performed: await registry.attach(frame.ask) });
    } else {
      const asked = workshop().then(({ reattach }) => reattach(frame.dispatch, source));
      const found = await asked.catch((error: unknown): Found => {
        log.error({ error }, "a reattach failed");
        return { status: "unknown", message: "The plugin host failed." };
      });
      this.#wire.send({ frame: "found", id: frame.id, found });
    }
  }
  #greet(protocol: number): void {
    this.#wire.send({ frame: "hello", protocol: PROTOCOL, layers: LAYERS });
    this.#greeted = protocol === PROTOCOL;
    if (!this.#greeted) this.#room.log.warn({ protocol }, "an engine speaks another protocol");
  }
  #cutOff(why: string): void {
    this.#room.log.warn({ why }, "an engine was cut off");
    this.#wire.end();
  }
}
