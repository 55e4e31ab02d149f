// The thread that workshop.ts starts: compiles what it is sent, one after the other.
import { parentPort } from "node:worker_threads";
import { type Compiling, compileFiles, type Made } from "./compiling.ts";
import { TooLong } from "./project.ts";

/** What it says of each. */
export type Said = { readonly made: Made } | { readonly tooLong: number } | { readonly fault: string };

parentPort?.on("message", async (asked: Compiling) => {
  const said: Said = await compileFiles(asked).then(
    (made) => ({ made }),
    (error: unknown) =>
      error instanceof TooLong ? { tooLong: error.limit } : { fault: error instanceof Error ? String(error.stack) : String(error) },
  );
  parentPort?.postMessage(said);
});
