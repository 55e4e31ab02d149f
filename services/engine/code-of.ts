/** What a log line says of an error: its code or name, never its message or detail, which may hold what a tenant stored. */
export function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  return "code" in error && typeof error.code === "string" ? error.code : error.name;
}
