import assert from "node:assert/strict";
import { type Bundle, bundle, type Read } from "../index.ts";

export type Files = Readonly<Record<string, string>>;

export const of =
  (files: Files): Read =>
  (path) =>
    files[path];

/** File, code and what is marked, of each diagnostic for the module at `entry`. */
export function found(entry: string, files: Files): readonly (readonly [file: string, code: string, marked: string])[] {
  const answer = bundle([entry], of(files)).get(entry);
  assert.ok(Array.isArray(answer), `${entry} was bundled`);
  return answer.map(({ file, code, start, end }) => [file, code, (files[file] ?? "").slice(start.offset, end.offset)]);
}

export function made(entry: string, files: Files): Bundle {
  const answer = bundle([entry], of(files)).get(entry);
  if (answer && "digest" in answer) return answer;
  throw new Error(`${entry} cannot be bundled: ${JSON.stringify(answer)}`);
}

/** The functions of a bundle, to be called. */
export const load = (text: string): Promise<Readonly<Record<string, (...input: unknown[]) => unknown>>> =>
  import(`data:text/javascript,${encodeURIComponent(text)}`);
