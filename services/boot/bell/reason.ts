/**
 * Why Redis did not do something, in a word or two. Never the message: Redis quotes what it was given ("unknown command 'AUTH', with args
 * beginning with …"), and ioredis hangs the arguments of AUTH on its errors.
 */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return "unknown";
  const { code } = error as NodeJS.ErrnoException;
  if (typeof code === "string") return code;
  if (error.message === "Command timed out") return "no answer in time";
  if (error.message === "Connection is closed.") return "the connection broke";
  const [word] = /^[A-Z]{3,20}\b/.exec(error.message) ?? [];
  return word ?? error.name;
}
