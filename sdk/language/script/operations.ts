const STORE = ["get", "set", "has", "delete", "increment", "setIfAbsent"];

/** What each service that needs no import can do. */
export const OPERATIONS: ReadonlyMap<string, readonly string[]> = new Map([
  ["http", ["request"]],
  // Of a connection, `services.db(…)`.
  ["db", ["query", "execute", "read", "insert", "update", "delete", "transaction"]],
  ["storage", ["put", "get", "head", "list", "delete"]],
  ["cache", STORE],
  ["state", STORE],
  ["events", ["emit"]],
  ["workflows", ["call", "start"]],
  ["telegram", ["send"]],
  ["discord", ["send"]],
  ["whatsapp", ["send"]],
]);
