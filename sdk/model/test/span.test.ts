import assert from "node:assert/strict";
import { test } from "node:test";
import { span } from "../span.ts";

test("a duration is written as the language writes it, in the largest unit of which it is a whole number", () => {
  const said = [1, 999, 1_000, 1_500, 10_000, 60_000, 90_000, 3_600_000, 129_600_000, 86_400_000, 2_592_000_000].map(span);
  assert.deepEqual(said, ["1ms", "999ms", "1s", "1500ms", "10s", "1m", "90s", "1h", "36h", "1d", "30d"]);
});
