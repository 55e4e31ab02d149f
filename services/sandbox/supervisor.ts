import { rmSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import type { Log } from "@woml/boot";
import { listenPrivately, openWire, type Wire, writePreload } from "@woml/child";
import { BOUNDS } from "./bounds.ts";
import { type FromSupervisor, type Invoke, PROTOCOL, type ToSupervisor } from "./frames.ts";
import type { Job } from "./job.ts";
import type { PoolOptions } from "./options.ts";
import { parseToSupervisor } from "./parse.ts";
import { Pool } from "./pool.ts";
import { LAYERS } from "./spawn.ts";

export interface Supervisor {
  /** Process ids of the workers now alive. */
  readonly workers: () => readonly number[];
  /** Resolves when every worker has ended. */
  stop(): Promise<void>;
}
export interface SupervisorOptions {
  readonly socket: string;
  readonly pool: PoolOptions;
  readonly log: Log;
  /** No worker can be started on this machine. */
  readonly hopeless: (why: string) => void;
}

/** Listens on a unix socket that only its own user may open. Resolves once it listens; workers may still be starting. */
export async function openSupervisor({ socket, pool: poolOptions, log, hopeless }: SupervisorOptions): Promise<Supervisor> {
  const preload = `${socket}.preload.mjs`;
  writePreload(import.meta.dirname, preload);
  const pool = new Pool(preload, poolOptions, {
    crashed: (pid, how) => log.warn({ pid, how }, "a worker ended by itself"),
    hopeless: (lastWords) => {
      log.fatal({ lastWords }, "workers do not start");
      hopeless("Workers do not start on this machine.");
    },
  });
  const open = new Set<Connection>();
  let next = 0;
  const server = createServer((stream) => {
    const gone = (): void => void open.delete(connection);
    const connection: Connection = new Connection(stream, { pool, log, number: () => String(++next), gone });
    open.add(connection);
  });
  await listenPrivately(server, socket);
  return {
    workers: () => pool.pids,
    stop: () => {
      server.close();
      for (const connection of open) connection.end();
      const closed = pool.close();
      rmSync(preload, { force: true });
      rmSync(socket, { force: true });
      return closed;
    },
  };
}

interface Room {
  readonly pool: Pool;
  readonly log: Log;
  readonly number: () => string;
  readonly gone: () => void;
}

/** One engine. When it goes, whatever it asked for is killed. */
class Connection {
  readonly #room: Room;
  readonly #jobs = new Map<string, Job>();
  readonly #wire: Wire<FromSupervisor>;
  #greeted = false;

  constructor(stream: Socket, room: Room) {
    this.#room = room;
    this.#wire = openWire<FromSupervisor, ToSupervisor>(stream, {
      maxBytes: BOUNDS.frameBytes,
      parse: parseToSupervisor,
      heard: (frame) => this.#heard(frame),
      closed: (fault) => {
        if (fault !== undefined) room.log.warn({ fault: fault.message }, "an engine was cut off");
        for (const job of this.#jobs.values()) room.pool.cancel(job);
        room.gone();
      },
    });
  }

  end(): void {
    this.#wire.end();
  }

  #heard(frame: ToSupervisor): void {
    if (frame.frame === "hello") this.#greet(frame.protocol);
    else if (!this.#greeted) this.#cutOff("it did not say hello");
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
  }
  #invoke(frame: Invoke): void {
    const { frame: _, invocation, tenant, ...work } = frame;
    if (this.#jobs.has(invocation)) {
      this.#cutOff("it used an invocation twice");
      return;
    }
    const job: Job = {
      work: { ...work, invocation: this.#room.number() },
      ...{ tenant, bytes: work.script.text.length + work.context.length + work.attempt.length },
      ...{ settled: false, answered: 0, ahead: [] },
      listener: {
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
