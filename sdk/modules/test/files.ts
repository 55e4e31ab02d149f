import { type Absent, type Bundle, bundle, type Diagnostic, type Read } from "../index.ts";

export type Files = Readonly<Record<string, string>>;

export const of =
  (files: Files): Read =>
  (path) =>
    files[path];

/** What is said of an entry that cannot be bundled. */
export function told(answer: Bundle | Absent | readonly Diagnostic[] | undefined): readonly Diagnostic[] {
  if (!answer || "digest" in answer || "code" in answer) throw new Error(`nothing is said of it but ${JSON.stringify(answer)}`);
  return answer;
}

/** File, code and what is marked, of each diagnostic for the module at `entry`. */
export const found = (entry: string, files: Files): readonly (readonly [file: string, code: string, marked: string])[] =>
  told(bundle([entry], of(files)).get(entry)).map(({ file, code, start, end }) => {
    return [file, code, (files[file] ?? "").slice(start.offset, end.offset)];
  });

export function made(entry: string, files: Files): Bundle {
  const answer = bundle([entry], of(files)).get(entry);
  if (answer && "digest" in answer) return answer;
  throw new Error(`${entry} cannot be bundled: ${JSON.stringify(answer)}`);
}

/** The functions of a bundle, to be called. */
export const load = (text: string): Promise<Readonly<Record<string, (...input: unknown[]) => unknown>>> =>
  import(`data:text/javascript,${encodeURIComponent(text)}`);
