import assert from "node:assert/strict";
import { test } from "node:test";
import type { Code, Definition, Message } from "../index.ts";
import { find } from "./find.ts";
import { refused } from "./given.ts";
import { whole } from "./whole.ts";

/** Given the definition of whole.ts, when it is changed like this, then exactly these violations are answered. */
export type Case = readonly [when: string, change: (given: Definition) => void, ...then: `${Code} ${string}`[]];

export function play(cases: Readonly<Record<string, readonly Case[]>>): void {
  for (const [law, all] of Object.entries(cases)) {
    for (const [when, change, ...then] of all) {
      test(`${law}: ${when}`, () => {
        const given = whole();
        change(given);
        assert.deepEqual(
          refused(given).map(({ code, path }) => `${code} ${path}`),
          then,
        );
      });
    }
  }
}

export function hook({ lifecycle }: Definition, at: number): NonNullable<Definition["lifecycle"]>[number] {
  const found = lifecycle?.[at];
  assert.ok(found);
  return found;
}

export function reusable(given: Definition): NonNullable<ReturnType<typeof find<"step">>["reusable"]> {
  const { reusable: found } = find(given, "step", "a");
  assert.ok(found);
  return found;
}

/** The message of the notice that step_failure sends becomes this. */
export function say(given: Definition, ...message: Message): void {
  const action = hook(given, 0).actions[1];
  assert.ok(action?.kind === "notify");
  for (const notice of action.notices) notice.message = message;
}
export const read = (...path: string[]): Message[number] => ({ kind: "reference", path });
