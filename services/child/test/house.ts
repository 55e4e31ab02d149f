import { connect, createServer, type Socket } from "node:net";
import type { TestContext } from "node:test";
import { Line, listenAt, openWireAt, type Place, type Wire } from "../index.ts";

export const SECRET = "a".repeat(32);
export const OTHER = "b".repeat(32);
interface Said {
  readonly frame: string;
  readonly protocol?: number;
  readonly text?: string;
}
type Hello = { readonly frame: "hello"; readonly protocol: number };
type In = Hello | { readonly frame: "draining" } | { readonly frame: "told"; readonly text: string };
const MAX = 1_024 * 1_024;
const parse = (value: unknown): In => value as In;

export interface House {
  readonly port: number;
  readonly wires: readonly Wire<Said>[];
  /** What was heard after hellos, and the count and code of who was turned away. */
  readonly heard: readonly Said[];
  readonly refused: readonly string[];
  /** Connections that have ended. */
  readonly ended: () => number;
  readonly close: () => void;
}
/** Listens as a supervisor does, greets with its protocol, and is gone when the test ends. */
export async function openHouse(t: TestContext, place: Place, protocol = 1): Promise<House> {
  const wires: Wire<Said>[] = [];
  const heard: Said[] = [];
  const refused: string[] = [];
  let ended = 0;
  const listening = await listenAt(place, {
    took: (stream) => {
      const wire: Wire<Said> = openWireAt<Said, Said>(place, stream, {
        ...{ maxBytes: MAX, parse: (value) => value as Said },
        heard: (frame) => {
          if (frame.frame === "hello") wire.send({ frame: "hello", protocol });
          else heard.push(frame);
        },
        closed: () => {
          ended += 1;
        },
      });
      wires.push(wire);
    },
    refused: (count, why) => refused.push(`${count} ${why}`),
  });
  const close = (): void => {
    listening.close();
    for (const wire of wires) wire.end();
  };
  t.after(close);
  return { port: Number(listening.at.split(":").at(-1)), wires, heard, refused, ended: () => ended, close };
}

export interface Caller {
  readonly line: Line<Said, In>;
  readonly events: string[];
}
export function call(t: TestContext, place: Place): Caller {
  const events: string[] = [];
  const line: Line<Said, In> = new Line<Said, In>({
    ...{ place, name: "house", protocol: 1, maxBytes: MAX, parse },
    met: () => events.push("met"),
    heard: ({ text }) => events.push(text),
    drains: () => events.push("drains"),
    lost: () => events.push("lost"),
  });
  t.after(() => line.close());
  return { line, events };
}
export const far = (port: number, ...secrets: readonly string[]): Place => ({ host: "127.0.0.1", port, secrets });

export interface Wiretap {
  readonly port: number;
  /** Bytes that passed, both ways. */
  readonly passed: () => Buffer;
  /** From here on nothing passes, and nobody is told. */
  readonly cut: () => void;
}
/** Between a caller and a house. */
export async function tap(t: TestContext, port: number): Promise<Wiretap> {
  const sockets: Socket[] = [];
  const chunks: Buffer[] = [];
  const server = createServer((near) => {
    const away = connect(port, "127.0.0.1");
    sockets.push(near, away);
    for (const [from, to] of [
      [near, away],
      [away, near],
    ] as const) {
      from
        .on("error", () => undefined)
        .on("data", (chunk: Buffer) => {
          chunks.push(chunk);
          to.write(chunk);
        });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  const address = server.address();
  return {
    port: typeof address === "object" && address !== null ? address.port : 0,
    passed: () => Buffer.concat(chunks),
    cut: () => {
      server.close();
      for (const socket of sockets) socket.pause();
    },
  };
}

export async function until(isSo: () => boolean, withinMs = 3_000): Promise<boolean> {
  const end = performance.now() + withinMs;
  while (!isSo()) {
    if (performance.now() > end) return false;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return true;
}
