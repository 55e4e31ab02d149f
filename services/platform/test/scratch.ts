import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";

/** A folder gone when the test ends. */
export function scratch(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "woml-platform-"));
  t.after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }));
  return folder;
}
