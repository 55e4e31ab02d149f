import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

/** Shorter than what the path of a Unix socket may have on Linux (107 bytes) and macOS (103). */
const SOCKET_BYTES = 100;
const READY_MS = 30_000;
const STOP_MS = 5_000;

/** A supervisor: a process of ours that listens on a socket and has children of its own. */
export interface SupervisorProcess {
  readonly pid: number;
  readonly socket: string;
  /** SIGTERM, and SIGKILL after five seconds; resolves when it has ended. */
  stop(): Promise<void>;
  /** How it ended, whoever ended it: a signal or `exit N`. */
  readonly exited: Promise<string>;
}
export interface StartOptions {
  /** Who it is, for an error: `The NAME's supervisor did not start`. */
  readonly name: string;
  readonly entry: string;
  readonly socket: string;
  /** After the socket on its command line, where every user of the machine can read them: nothing secret. */
  readonly args: readonly string[];
  /** Its environment, of which only it can read. */
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * Whether a path is one for a supervisor's socket: short enough, and one that children can be told to read the file beside it. To Node's
 * permission model an asterisk means any name, and its module loader takes no backslash.
 */
export const takesSocket = (path: string): boolean => Buffer.byteLength(path) <= SOCKET_BYTES && !/[*\\]/.test(path);

/**
 * Starts it as a process of its own that ends with this one (its stdin closes), and resolves at its first line on stdout. `socket` is a path
 * that `takesSocket`, in a folder nobody else may enter; what is found there is replaced. Rejects when it does not start.
 */
export async function startProcess({ name, entry, socket, args, env: given = {} }: StartOptions): Promise<SupervisorProcess> {
  if (!takesSocket(socket))
    throw new Error(
      `The path of the ${name}'s socket is longer than ${SOCKET_BYTES} bytes, or holds an asterisk or a backslash: ${socket}`,
    );
  const argv = ["--disable-warning=ExperimentalWarning", entry, socket, ...args];
  const cache = process.env["NODE_COMPILE_CACHE"];
  const env = { ...given, ...(cache === undefined ? {} : { NODE_COMPILE_CACHE: cache }) };
  const child = spawn(process.execPath, argv, { env, detached: true, stdio: ["pipe", "pipe", "inherit"] });
  const exited = new Promise<string>((resolve) => {
    child.once("error", (error) => resolve(error.message));
    child.once("exit", (code, signal) => resolve(signal ?? `exit ${code}`));
  });
  child.stdin.on("error", () => undefined);
  const ready = new Promise<boolean>((resolve) => {
    createInterface({ input: child.stdout }).once("line", () => resolve(true));
    void exited.then(() => resolve(false));
    setTimeout(() => resolve(false), READY_MS).unref();
  });
  if (!(await ready)) {
    child.kill("SIGKILL");
    throw new Error(`The ${name}'s supervisor did not start (${await exited}).`);
  }
  const stop = async (): Promise<void> => {
    const timer = setTimeout(() => child.kill("SIGKILL"), STOP_MS);
    child.kill("SIGTERM");
    await exited;
    clearTimeout(timer);
  };
  return { pid: child.pid ?? 0, socket, stop, exited };
}
