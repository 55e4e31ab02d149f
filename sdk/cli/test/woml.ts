import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import type { TestContext } from "node:test";
import { run } from "../commands.ts";

export interface Said {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}
export const MAIN = join(import.meta.dirname, "..", "main.ts");

/** `woml ARGS` as a process, asked from `from`. No environment reaches it but what it needs. */
export async function woml(
  from: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  out: number | "pipe" = "pipe",
): Promise<Said> {
  const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", MAIN, ...args], {
    cwd: from,
    env: { PATH: process.env["PATH"] ?? "", ...env },
    stdio: ["ignore", out, "pipe"],
  });
  const said = (stream: Readable | null): Promise<string> => (stream ? text(stream) : Promise.resolve(""));
  const [stdout, stderr, [code]] = await Promise.all([said(child.stdout), said(child.stderr), once(child, "close")]);
  return { code, stdout, stderr };
}

/** The same in this process, where what is asked ends at once: a hundred times cheaper. */
export async function womlHere(t: TestContext, from: string, args: readonly string[]): Promise<Said> {
  const said = { stdout: "", stderr: "" };
  const before = process.env["INIT_CWD"];
  process.env["INIT_CWD"] = from;
  const mocks = (["stdout", "stderr"] as const).map((name) => {
    const write = process[name].write.bind(process[name]);
    return t.mock.method(process[name], "write", (chunk: string | Uint8Array) => {
      // The test runner speaks to its parent in bytes, the command in text.
      if (typeof chunk !== "string") return write(chunk);
      said[name] += chunk;
      return true;
    });
  });
  try {
    return { code: await run(args), ...said };
  } finally {
    for (const { mock } of mocks) mock.restore();
    if (before === undefined) delete process.env["INIT_CWD"];
    else process.env["INIT_CWD"] = before;
  }
}

/** A folder with these files, gone when the test ends. */
export function folderWith(t: TestContext, files: Readonly<Record<string, string | Uint8Array>>): string {
  const folder = mkdtempSync(join(tmpdir(), "woml-cli-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  return folder;
}

export const valid = (id: string): string =>
  `<woml><workflow id="${id}"><triggers><manual id="go"/></triggers><steps><step id="s"><script>return 1;</script></step></steps></workflow></woml>\n`;
