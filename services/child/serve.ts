const LAST_MS = 2_000;

/**
 * The other end of `startProcess`: says that the supervisor is ready, and ends the process with SIGTERM, SIGINT or its parent (stdin closes).
 * It ends after its children, so that none is left to whoever takes orphans in; a killed one that the machine does not let go is not
 * waited for. Answers a function that ends it with a code.
 */
export function serveParent(stop: () => Promise<void>): (code: number) => void {
  const end = (code: number): void => {
    setTimeout(() => process.exit(code), LAST_MS).unref();
    void stop().then(() => process.exit(code));
  };
  process.once("SIGTERM", () => end(0));
  process.once("SIGINT", () => end(0));
  process.stdin
    .once("end", () => end(0))
    .once("error", () => end(0))
    .resume();
  process.stdout.on("error", () => undefined).write(`${JSON.stringify({ ready: true })}\n`);
  return end;
}
