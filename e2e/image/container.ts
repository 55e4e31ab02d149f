// A container as a strict cluster runs it: nothing of it can be written to but /tmp, no right, no other user to become.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { AROUND, ask, type Told, tell } from "./tool.ts";

const STRICT = [
  ...["--rm", "--pull", "never", "--read-only", "--tmpfs", "/tmp:rw,size=64m,mode=1777", "--user", "10001:10001"],
  ...["--cap-drop", "ALL", "--security-opt", "no-new-privileges"],
];
const READY_MS = 60_000;

export interface Ways {
  readonly env?: Readonly<Record<string, string>>;
  /** Folders of this machine, read-only in it, by where they are there. */
  readonly folders?: Readonly<Record<string, string>>;
  /** More of podman's own. */
  readonly flags?: readonly string[];
}

/** `woml ARGS` in a container without a network. */
export function inside(image: string, args: readonly string[], ways: Ways = {}): Told {
  return ask("podman", ["run", "--network", "none", ...around(ways), image, ...args]);
}

export interface Container {
  readonly name: string;
  /** The line that says that it is ready, read. */
  readonly ready: Readonly<Record<string, unknown>>;
  /** What it wrote to stderr so far. */
  said(): string;
  /** SIGTERM; answers the exit code. */
  stop(): Promise<number | null>;
  /** Whatever state it is in. */
  remove(): void;
}

/** A role in a container on this machine's loopback. Rejects when it ends before it is ready. */
export async function serve(image: string, role: string, ways: Ways): Promise<Container> {
  const name = `woml-${process.pid}-${role}`;
  const args = ["run", "--network", "host", "--name", name, ...around(ways), image, role];
  const child = spawn("podman", args, { env: AROUND, stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
    said += chunk;
  });
  const remove = (): void => void ask("podman", ["rm", "--force", "--time", "0", name]);
  const stop = async (): Promise<number | null> => {
    if (child.exitCode !== null) return child.exitCode;
    const gone = once(child, "exit");
    tell("podman", ["kill", "--signal", "TERM", name]);
    await gone;
    return child.exitCode;
  };
  try {
    const ready = JSON.parse(await firstLine(child, () => said));
    return { name, ready, said: () => said, stop, remove };
  } catch (error) {
    remove();
    throw error;
  }
}

/** To its end; for what serves nobody. */
export async function perform(image: string, args: readonly string[], ways: Ways): Promise<Told> {
  const child = spawn("podman", ["run", "--network", "host", ...around(ways), image, ...args], {
    env: AROUND,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  return { code, stdout, stderr };
}

function around({ env = {}, folders = {}, flags = [] }: Ways): readonly string[] {
  return [
    ...STRICT,
    ...flags,
    ...Object.entries(env).flatMap(([name, value]) => ["--env", `${name}=${value}`]),
    ...Object.entries(folders).flatMap(([there, here]) => ["--volume", `${here}:${there}:ro`]),
  ];
}

async function firstLine(child: ChildProcess, said: () => string): Promise<string> {
  if (!child.stdout) throw new Error("no stdout");
  const limit = new AbortController();
  const late = setTimeout(() => limit.abort(), READY_MS);
  const lines = createInterface({ input: child.stdout });
  const line = once(lines, "line", { signal: limit.signal }).then(([first]) => String(first));
  const ended = once(child, "exit", { signal: limit.signal }).then(([code]) => Promise.reject(new Error(`it ended with ${code}`)));
  try {
    return await Promise.race([line, ended]);
  } catch (error) {
    throw new Error(`it was not ready: ${error instanceof Error ? error.message : String(error)}\n${said()}`);
  } finally {
    clearTimeout(late);
    limit.abort();
    for (const one of [line, ended]) one.catch(() => undefined);
  }
}
