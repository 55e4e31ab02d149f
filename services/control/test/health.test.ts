import assert from "node:assert/strict";
import { test } from "node:test";
import { memoryDoorbell } from "@woml/boot";
import { openFault } from "../health.ts";

function watched() {
  const says = { bell: null as string | null, pending: [] as readonly string[], isStopping: false, asked: 0 };
  const fault = openFault({
    store: {
      pendingMigrations: async () => {
        says.asked += 1;
        return says.pending;
      },
    },
    doorbell: { ...memoryDoorbell(), fault: () => says.bell },
    isStopping: () => says.isStopping,
  });
  return { says, fault };
}

test("a doorbell that was never heard of keeps control from beginning; one that falls silent later does not end it", async () => {
  const { says, fault } = watched();
  says.bell = "Redis refuses the password";
  assert.equal(await fault(), "the doorbell: Redis refuses the password");
  says.bell = null;
  assert.equal(await fault(), null);
  says.bell = "Redis cannot be reached";
  assert.equal(await fault(), null);
});

test("what is missing in the database is named; however many ask at once, it is asked once", async () => {
  const { says, fault } = watched();
  says.pending = ["20990101_more"];
  says.bell = "no";
  const sentence = "the database lacks the migrations 20990101_more: run `woml migrate`";
  assert.deepEqual(new Set(await Promise.all([fault(), fault(), fault()])), new Set([sentence]));
  assert.equal(says.asked, 1);
  says.isStopping = true;
  assert.equal(await fault(), "it is stopping");
  assert.equal(says.asked, 1);
});
