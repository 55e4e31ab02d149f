// The command line as a stranger types it: a process of its own, asked from a folder.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { ROOT } from "./platform.ts";

const MAIN = join(ROOT, "sdk", "cli", "main.ts");

export interface Said {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  /** What it wrote to stdout, as JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: tests say what they expect.
  json(): any;
}
interface Around {
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string;
}

/** `woml ARGS` as npm calls it from `from`: in the root of the repository, with INIT_CWD. */
export async function woml(from: string, args: readonly string[], { env = {}, stdin }: Around = {}): Promise<Said> {
  const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", MAIN, ...args], {
    cwd: ROOT,
    env: { ...process.env, INIT_CWD: from, ...env },
    stdio: ["pipe", "pipe", "pipe"],
  });
  child.stdin.end(stdin);
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  return { code: Number(code), stdout, stderr, json: () => JSON.parse(stdout) };
}
