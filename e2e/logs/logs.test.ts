// What was ever written to a log is read for ever: each log that lies here folds to what it folded to when it was recorded, and a run that
// stands anywhere in it goes on to an end.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Play } from "@woml/engine/testing";
import { accept } from "@woml/model";
import { foldAll, project } from "@woml/run";
import { goOn } from "./go-on.ts";
import { FIRST, folded, names, recorded, standings } from "./recorded.ts";
import { STORIES } from "./stories.ts";

/** What was recorded, in `now`: members that are new since then are left out, lists are equal in length. */
function among(now: unknown, then: unknown): unknown {
  if (Array.isArray(then) && Array.isArray(now) && then.length === now.length) return now.map((one, at) => among(one, then[at]));
  if (!isRecord(then) || !isRecord(now)) return now;
  return Object.fromEntries(Object.keys(then).flatMap((key) => (key in now ? [[key, among(now[key], then[key])]] : [])));
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

test("what is new since a log was recorded does not count, and what is missing or other does", () => {
  const then = { a: 1, list: [{ b: 2 }] };
  assert.deepEqual(among({ a: 1, list: [{ b: 2, c: 3 }], d: 4 }, then), then);
  for (const now of [{ list: [{ b: 2 }] }, { a: 1, list: [{ b: 3 }] }, { a: 1, list: [] }, { a: 1, list: [{ b: 2 }, {}] }, null])
    assert.notDeepEqual(among(now, then), then);
});

test("every story is recorded, and every log has a story or is of the first", () => {
  const written = names().filter((name) => !name.startsWith(FIRST));
  assert.deepEqual(written, Object.keys(STORIES).toSorted());
  assert.ok(names().length - written.length >= 30);
});

for (const name of names())
  test(`${name} folds to what it was recorded with`, () => {
    const { events, folded: then } = recorded(name);
    assert.deepEqual(among(folded(events), then), then);
  });

test("the definitions are accepted as they were", () => {
  for (const name of names()) {
    const judged = accept(recorded(name).definition);
    assert.ok("definition" in judged, `${name}: ${JSON.stringify(judged)}`);
  }
});

test("a run that stands anywhere in a log says why it waits, until it has ended", () => {
  for (const log of names().map(recorded))
    for (const length of standings(log)) {
      const state = foldAll(log.events.slice(0, length));
      const { status, waitingFor } = project(state);
      assert.equal(waitingFor === null, state.ended !== null, `${log.name} at ${length} is ${status}`);
    }
});

test("PC-52: a run that stands anywhere in a log goes on to an end", () => {
  for (const log of names().map(recorded))
    for (const length of standings(log)) {
      const play = new Play(log.definition);
      play.log.push(...log.events.slice(0, length));
      play.state = foldAll(play.log);
      play.now = play.state.at;
      goOn(play);
      assert.ok(play.state.ended !== null, `${log.name} at ${length} stays as ${JSON.stringify(project(play.state))}`);
    }
});
