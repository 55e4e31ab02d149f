type Expected = "value" | "valueOrEnd" | "key" | "keyOrEnd" | "colon" | "commaOrEnd" | "nothing";

const BLANKS = /[ \t\n\r]*/y;
const STRING = String.raw`"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"`;
const NUMBER = String.raw`-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?`;
const TOKEN = new RegExp(`${STRING}|${NUMBER}|true|false|null|[\\[\\]{},:]`, "y");

/** Where a text stops being JSON: the offset of the first token that may not stand where it stands. The text is no JSON. */
export function breakOf(text: string): number {
  const open: ("]" | "}")[] = [];
  let expected: Expected = "value";
  for (let at = skip(text, 0); ; at = skip(text, TOKEN.lastIndex)) {
    TOKEN.lastIndex = at;
    const token = TOKEN.exec(text)?.[0];
    const next: Expected | null = token === undefined ? null : after(expected, token, open);
    if (next === null) return at;
    expected = next;
  }
}

function skip(text: string, at: number): number {
  BLANKS.lastIndex = at;
  BLANKS.exec(text);
  return BLANKS.lastIndex;
}

/** What may follow a token; null when it may not stand here. */
function after(expected: Expected, token: string, open: ("]" | "}")[]): Expected | null {
  const isEnd = token === open.at(-1) && (expected === "commaOrEnd" || expected === "valueOrEnd" || expected === "keyOrEnd");
  if (isEnd) {
    open.pop();
    return closed(open);
  }
  switch (expected) {
    case "value":
    case "valueOrEnd":
      return value(token, open);
    case "key":
    case "keyOrEnd":
      return token.startsWith('"') ? "colon" : null;
    case "colon":
      return token === ":" ? "value" : null;
    case "commaOrEnd":
      return token === "," ? (open.at(-1) === "}" ? "key" : "value") : null;
    case "nothing":
      return null;
  }
}

function value(token: string, open: ("]" | "}")[]): Expected | null {
  if (token === "[" || token === "{") {
    open.push(token === "[" ? "]" : "}");
    return token === "[" ? "valueOrEnd" : "keyOrEnd";
  }
  return /^[\]},:]/.test(token) ? null : closed(open);
}

const closed = (open: readonly string[]): Expected => (open.length > 0 ? "commaOrEnd" : "nothing");
