// What tools/bundle.ts makes one file of, so that an editor may call `woml check` at every key: woml.mjs takes that file while it is fresh.

import { EXIT } from "./exit.ts";
import { explain } from "./explain.ts";
import { sayCheck } from "./say-check.ts";
import { flushed, tolerateClosedPipe } from "./terminal.ts";

/** The whole command; answers its exit code. Never rejects. */
export async function check(paths: readonly string[], format: "text" | "json"): Promise<number> {
  tolerateClosedPipe();
  const code = await sayCheck(paths, format).catch(explain);
  return (await flushed()) ? code : code || EXIT.failed;
}
