import assert from "node:assert/strict";
import { test } from "node:test";
import { asked, openPlace, plugin, pluginsOf } from "./place.ts";

const ECHO = plugin({ perform: "return { input, key: call.key, try: call.try, pid: process.pid };" });

test("a plugin is fetched once, performs, and is told key and try", async (t) => {
  const { door, wanted, socket } = await openPlace(t);
  const dispatch = asked(ECHO, { input: '{"n":1}', try: 3 });
  const performed = await door.perform(dispatch);
  assert.equal(performed.status, "succeeded", JSON.stringify(performed));
  assert.ok(performed.status === "succeeded");
  const { input, key, try: nth } = JSON.parse(performed.result);
  assert.deepEqual([input, key, nth], [{ n: 1 }, dispatch.key, 3]);
  assert.equal((await door.perform(asked(ECHO))).status, "succeeded");
  assert.deepEqual(wanted, [ECHO]);
  assert.equal(pluginsOf(socket).length, 1);
});
