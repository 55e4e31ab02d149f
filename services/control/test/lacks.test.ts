import assert from "node:assert/strict";
import { test } from "node:test";
import { openLog } from "@woml/boot";
import { Lacks } from "../lacks.ts";

test("what a door lacks is said once a minute, however often it is asked for", (t) => {
  t.mock.timers.enable({ apis: ["Date"], now: 600_000 });
  const said: string[] = [];
  const lacks = new Lacks({
    ...openLog("control-test", "silent"),
    warn: (fields: object) => void said.push(JSON.stringify(fields)),
  } as ReturnType<typeof openLog>);
  for (let nth = 0; nth < 100; nth++) for (const name of ["A", "B"]) lacks.tell(name);
  assert.deepEqual(said, ['{"secrets":"A"}', '{"secrets":"B"}']);
  t.mock.timers.tick(60_000);
  lacks.tell("A");
  assert.equal(said.length, 3);
});
