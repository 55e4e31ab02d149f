import { type ChildProcess, spawn } from "node:child_process";
import type { Duplex } from "node:stream";
import { openWire, type Wire } from "./framing.ts";
import type { FrameFault } from "./strict.ts";

const LAST_WORDS = 4_096;
/** Where a child finds its channel, a socket of the parent's. */
export const CHANNEL_FD = 3;

/** A process of this Node in an empty environment that speaks frames over fd 3. */
export interface ChildOptions<In> {
  /** Node's own flags: what the process is denied. */
  readonly flags: readonly string[];
  readonly entry: string;
  readonly args?: readonly string[];
  readonly maxBytes: number;
  readonly parse: (value: unknown) => In;
}
export interface ChildEvents<In> {
  readonly frame: (frame: In) => void;
  /** It said what no such child says; `ended` follows. */
  readonly fault: (fault: FrameFault) => void;
  /** Once, when the process has ended and all that it wrote was heard: the signal or `exit N`, and the first 4 KiB of its stderr. */
  readonly ended: (how: string, lastWords: string) => void;
}
export interface Child<Out extends object> {
  readonly pid: number;
  readonly wire: Wire<Out>;
  /** SIGKILL; its end is heard like any other. */
  kill(): void;
}

/** Starts it. Whoever closes the channel, the child or a fault, the process is killed: nothing that cannot be heard may run on. */
export function spawnChild<Out extends object, In>(options: ChildOptions<In>, events: ChildEvents<In>): Child<Out> {
  const { flags, entry, args = [], maxBytes, parse } = options;
  const child = spawn(process.execPath, [...flags, entry, ...args], { cwd: "/", env: {}, stdio: ["ignore", "ignore", "pipe", "pipe"] });
  const lastWords = collect(child);
  const wire = openWire<Out, In>(child.stdio[CHANNEL_FD] as Duplex, {
    ...{ maxBytes, parse, heard: events.frame },
    closed: (fault) => {
      if (fault !== undefined) events.fault(fault);
      child.kill("SIGKILL");
    },
  });
  child.once("error", () => events.ended("not started", ""));
  child.once("close", (code, signal) => events.ended(signal ?? `exit ${code}`, lastWords()));
  return { pid: child.pid ?? 0, wire, kill: () => void child.kill("SIGKILL") };
}

function collect(child: ChildProcess): () => string {
  let text = "";
  child.stderr?.setEncoding("utf8").on("data", (chunk: string) => {
    if (text.length < LAST_WORDS) text = (text + chunk).slice(0, LAST_WORDS);
  });
  return () => text;
}
