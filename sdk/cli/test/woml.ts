import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import type { TestContext } from "node:test";

export interface Said {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}
const MAIN = join(import.meta.dirname, "..", "main.ts");

/** `woml ARGS` as a process, asked from `from`. No environment reaches it but what it needs. */
export async function woml(from: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Said> {
  const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", MAIN, ...args], {
    cwd: from,
    env: { PATH: process.env["PATH"] ?? "", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  return { code, stdout, stderr };
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
