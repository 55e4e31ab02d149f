import assert from "node:assert/strict";
import { test } from "node:test";
import { Outage } from "../outage.ts";

test("what comes and goes all the time is said once, with its end; what was never said has no end to say", () => {
  const said: string[] = [];
  const outage = new Outage();
  outage.works(() => said.push("works"));
  for (let n = 0; n < 1_000; n++) {
    for (let still = 0; still < 3; still++) outage.fails(() => said.push("fails"));
    outage.works(() => said.push("works"));
  }
  assert.deepEqual(said, ["fails", "works"]);
});
