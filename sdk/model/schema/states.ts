/** Above what anybody asks for; keeps products of counts from running over. */
const MOST = 1e9;

/** A group whose end is not reached: the states of its finished alternatives, and of the one that is being read. */
interface Group {
  finished: number;
  current: number;
}

const GROUP = String.raw`\((?:\?(?:<?[=!]|<[^>]*>|[a-z-]*:))?`;
const ESCAPE = String.raw`\\(?:u\{[^}]*\}|u[dD][89abAB]..\\u[dD][c-fC-F]..|u.{4}|x..|c.|[pP]\{[^}]*\}|k<[^>]*>|.)`;
const CLASS = String.raw`\[(?:[^\]\\]|\\.)*\]`;
/** What there is to count: the head of a group, an escape, a class, or one character. A valid pattern is made of these and of counts. */
export const TOKEN = new RegExp(`${GROUP}|${ESCAPE}|${CLASS}|.`, "suy");
const COUNT = /(?:[*+?]|\{(\d+)(?:(,)(\d*))?\})\??/y;

/**
 * How many states an automaton for a pattern has when its counts are written out, or what it has that no such automaton can do. The
 * pattern is a valid one with the flag `u`.
 */
export function statesOf(pattern: string): number | "look-around" | "back reference" {
  const groups: Group[] = [{ finished: 0, current: 0 }];
  for (let at = 0; at < pattern.length; ) {
    TOKEN.lastIndex = at;
    const [token = ""] = TOKEN.exec(pattern) ?? [];
    at += Math.max(token.length, 1);
    if (/^\(\?<?[=!]/.test(token)) return "look-around";
    if (/^\\(?:k|[1-9])/.test(token)) return "back reference";
    if (token.startsWith("(")) groups.push({ finished: 0, current: 0 });
    else if (token === "|") alternate(groups.at(-1));
    else at = count(pattern, at, { groups, size: token === ")" ? sizeOf(groups.pop()) : 1 });
  }
  return sizeOf(groups[0]);
}

function alternate(group: Group | undefined): void {
  if (!group) return;
  group.finished += group.current + 1;
  group.current = 0;
}

const sizeOf = (group: Group | undefined): number => Math.max(1, (group?.finished ?? 0) + (group?.current ?? 0));

/** Adds an atom, with the count behind it, to the group around it; answers where the pattern goes on. */
function count(pattern: string, at: number, { groups, size }: { groups: readonly Group[]; size: number }): number {
  COUNT.lastIndex = at;
  const match = COUNT.exec(pattern);
  const group = groups.at(-1);
  if (group) group.current = Math.min(MOST, group.current + (match ? repeated(match, size) : size));
  return match ? COUNT.lastIndex : at;
}

function repeated([, least, comma, most]: RegExpExecArray, size: number): number {
  if (least === undefined) return size + 1;
  const from = Math.min(MOST, Number(least));
  const to = comma === undefined ? from : most ? Math.min(MOST, Number(most)) : from + 1;
  return Math.min(MOST, Math.max(1, to * size + (to - from)));
}
