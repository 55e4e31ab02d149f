import { didYouMean } from "../../closest.ts";
import type { Remark } from "../../diagnostic.ts";
import { quoted } from "../../source.ts";
import { childrenNamed, type Element, elementsOf, textOf } from "../../tree.ts";
import type { Rule } from "../../visit.ts";
import { within } from "../../within.ts";
import { RESERVED } from "./fork-branch-id.ts";

const ID = /^[a-z][A-Za-z0-9]*$/;
const HINT = "Write all, none, or ids of branches with blanks between them.";

/** `join` says which branches are waited for: `all`, `none`, or each by its id, once. The first fault is told. */
export const forkJoin: Rule =
  (findings, { text }) =>
  (element) => {
    const join = element.name === "fork" ? element.attributes.get("join") : undefined;
    if (!join || join.value === null) return;
    const tokens = [...join.value.matchAll(/\S+/g)];
    if (tokens.length === 0) findings.onValue(join, { code: "WOML_FORK_JOIN_INVALID", message: "join names no branch.", hint: HINT });
    const remarkOn = judge(element, tokens.length);
    for (const { 0: token, index } of tokens) {
      const remark = remarkOn(token);
      if (remark) return findings.onPart(join, within(join, { start: index, end: index + token.length }, text), remark);
    }
  };

function judge(fork: Element, count: number): (token: string) => Remark | null {
  const ids = childrenNamed(fork, "branch").map((branch) => textOf(branch, "id") ?? "");
  const branches = new Set(ids);
  /** What is wrong with a branch or its id has been reported, or that there is none, and it may be the one that is meant. */
  const isDoubtful = ids.length === 0 || ids.length < elementsOf(fork).length || !ids.every((id) => ID.test(id));
  const seen = new Set<string>();
  return (token) => {
    if (RESERVED.has(token) && count === 1) return null;
    if (RESERVED.has(token))
      return { code: "WOML_FORK_JOIN_INVALID", message: `${quoted(token)} stands alone in join, or not at all.`, hint: HINT };
    if (!ID.test(token)) return { code: "WOML_FORK_JOIN_INVALID", message: `${quoted(token)} is no id of a branch.`, hint: HINT };
    if (seen.has(token)) return { code: "WOML_FORK_JOIN_DUPLICATE", message: `join names ${quoted(token)} twice.`, hint: "Name it once." };
    seen.add(token);
    if (branches.has(token) || isDoubtful) return null;
    const hint = didYouMean(token, branches, branches.size > 0 ? `It has ${[...branches].slice(0, 10).join(", ")}.` : HINT);
    return { code: "WOML_FORK_JOIN_UNKNOWN_BRANCH", message: `This fork has no branch ${quoted(token)}.`, hint };
  };
}
