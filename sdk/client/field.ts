import type { Ask } from "./transport.ts";

/** Asks for one field of the schema. */
export type Field = <T>(name: string, query: string, variables: Readonly<Record<string, unknown>>) => Promise<T>;

/** The schema says what comes back; this is the one place that believes it. */
export const openField =
  (ask: Ask): Field =>
  async <T>(name: string, query: string, variables: Readonly<Record<string, unknown>>): Promise<T> =>
    (await ask(query, variables))[name] as T;
