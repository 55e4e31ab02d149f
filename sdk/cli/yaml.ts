import { escaped } from "./plain.ts";

/** A word that no reader of YAML takes for anything but text. */
const WORD = /^[A-Za-z_/][A-Za-z0-9_./@+-]*$/;
const MEANT: ReadonlySet<string> = new Set(["true", "false", "yes", "no", "on", "off", "y", "n", "null"]);

/** A JSON value as block YAML 1.2, without a line break at its end. */
export function yaml(value: unknown): string {
  return lines(value).join("\n");
}

function lines(value: unknown): readonly string[] {
  if (value === null || typeof value !== "object") return [scalar(value)];
  if (Array.isArray(value)) return value.length === 0 ? ["[]"] : value.flatMap((item) => nested("-", item, true));
  const members = Object.entries(value).filter(([, item]) => item !== undefined);
  return members.length === 0 ? ["{}"] : members.flatMap(([key, item]) => nested(`${text(key)}:`, item, false));
}

/** What is empty or no more than a word stands behind its head; of a list's item the first member does too. */
function nested(head: string, item: unknown, isItem: boolean): readonly string[] {
  const below = lines(item);
  const [first = "", ...rest] = below;
  const isShort = item === null || typeof item !== "object" || Object.keys(item).length === 0;
  if (isShort || isItem) return [`${head} ${first}`, ...rest.map((line) => `  ${line}`)];
  return [head, ...below.map((line) => `  ${line}`)];
}

const scalar = (value: unknown): string => (typeof value === "string" ? text(value) : JSON.stringify(value ?? null));

/** In quotes as JSON writes it, which YAML reads alike, unless it is a plain word. */
const text = (value: string): string => (WORD.test(value) && !MEANT.has(value.toLowerCase()) ? value : escaped(JSON.stringify(value)));
