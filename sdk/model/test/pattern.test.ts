import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Automaton } from "../schema/automaton.ts";
import { Unreadable } from "../schema/characters.ts";
import { Work } from "../schema/work.ts";

const found = (pattern: string, text: string): boolean => new Automaton(pattern, new Work()).test(text);

const PATTERNS = [
  ...["", "a", "^a", "a$", "^$", "^a*$", "(a|b)+c", "^(?:a|ab)(?:c|bcd)(d*)$", "\\ba\\b", "\\Ba", "^.{2,3}$", "^[^a-c]$", "[\\w-]+x"],
  ...["^\\p{Lu}\\d{1,3}(?:-[a-z/]+)*$", "(?i:abc)D", "^(?i:[a-c\u017f]k)$", "(?s:.)b", "(?m:^a$)", "(?i:a(?-i:b))", "\\u{1F600}"],
  ...["\\uD83D\\uDE00$", "(?<year>\\d{4})|x", "a??b", "(?:){5}a", "(a*)*b", "(?:a|^b)*c", "a|", "|a", "[]", "[^]", "[\\b\\-]", "\\/", "/"],
  ...[
    "\\cA",
    "\\0",
    "\\x41",
    "^(?:a{2}){2,3}$",
    "[\\u{1F600}-\\u{1F64F}]",
    "\\$\\^",
    "\\S\\s\\D",
    "[^\\p{L}\\d]",
    "[a-]",
    "[--/]",
    "^(?:a?){3}$",
  ],
];
const TEXTS = [
  ...["", "a", "b", "ab", "abc", "abcd", "c", "aab", "A", "abcD", "ABCD", "aB", "AB", "xa", "a b", "b\na\nc", "\na", "😀", "a😀", "1234"],
  ...["Ä12-ab/c", "Ä12", "aaaa", "aaaaaa", "aaaaa", "-", "\b", "/", "\u0001", "\0", "bK", "a\u212a", "\u017fk", "Sk", "$^", "x 1x", "  "],
];
test("a pattern is found where ECMAScript finds it", () => {
  for (const pattern of PATTERNS)
    for (const text of TEXTS)
      assert.equal(found(pattern, text), new RegExp(pattern, "u").test(text), `/${pattern}/ in ${JSON.stringify(text)}`);
});

/** Of every construct that there is, small enough that ECMAScript finds it in no time. */
const { pattern } = fc.letrec<{ pattern: string; term: string; atom: string }>((tie) => ({
  pattern: fc
    .array(fc.array(tie("term"), { maxLength: 3 }), { minLength: 1, maxLength: 2 })
    .map((arms) => arms.map((terms) => terms.join("")).join("|")),
  term: fc.oneof(
    tie("atom"),
    fc.tuple(tie("atom"), fc.constantFrom("*", "+", "?", "{2}", "{1,}", "{0,2}", "*?")).map((parts) => parts.join("")),
    fc.constantFrom("^", "$", "\\b", "\\B"),
  ),
  atom: fc.oneof(
    { depthSize: "small" },
    fc.constantFrom("a", "b", ".", "[ab]", "[^a]", "\\w", "\\s", "\\u{61}"),
    tie("pattern").map((inner) => `(?:${inner})`),
    tie("pattern").map((inner) => `(?ms:${inner})`),
  ),
}));

test("any pattern is found where ECMAScript finds it", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "b", " ", "\n", "é"), maxLength: 8 });
  fc.assert(
    fc.property(pattern, text, (one, where) => {
      assert.equal(found(one, where), new RegExp(one, "u").test(where));
    }),
    { numRuns: 2_000 },
  );
});

test("what a pattern takes grows as the text does, whatever it is", () => {
  const spent = (one: string, text: string): number => {
    const work = new Work();
    assert.equal(new Automaton(one, work).test(text), false);
    return work.spent;
  };
  for (const one of ["(a+)+$", "^(a|a)*$", "^(?:a?){30}a{30}$", "(?:.*a){8}b$", "^(([a-z])+.)+[A-Z]([a-z])+$"]) {
    const [small, large] = [spent(one, `${"a".repeat(1_000)}!`), spent(one, `${"a".repeat(50_000)}!`)];
    assert.ok(large < 60 * small, `${one}: ${small}, then ${large}`);
  }
  assert.ok(spent("(a+)+$", `${"a".repeat(50_000)}b`) < 1_000_000);
});

test("what no automaton can do, and what is no regular expression, is not matched", () => {
  for (const one of [
    "(a)\\1",
    "(?=a)",
    "(?<!a)b",
    "(?<n>a)\\k<n>",
    "(",
    ")",
    "a**",
    "{",
    "[b-a]",
    "\\p{No}x{",
    "a{60001}",
    "(?:a{300}){300}",
    `${"(".repeat(300)}`,
  ])
    assert.throws(() => found(one, "a"), Unreadable, one);
});
