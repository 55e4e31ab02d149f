import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { ApiError } from "../errors.ts";
import { readHookBody } from "../hook-body.ts";
import { HOOK_BODY_BYTES, HOOK_BODY_MS } from "../limits.ts";

const codeOf = (body: Promise<Buffer>): Promise<string> =>
  body.then(
    (bytes) => String(bytes.length),
    (error: unknown) => (error instanceof ApiError ? error.code : String(error)),
  );

test("a body has at most 1 MiB, whatever it says of itself, and not one byte more is kept", async () => {
  const exact = new PassThrough();
  const read = codeOf(readHookBody(exact, undefined));
  exact.end(Buffer.alloc(HOOK_BODY_BYTES));
  assert.equal(await read, String(HOOK_BODY_BYTES));
  const over = new PassThrough();
  const refused = codeOf(readHookBody(over, "12"));
  over.write(Buffer.alloc(HOOK_BODY_BYTES));
  over.write(Buffer.alloc(1));
  assert.equal(await refused, "WOML_TRIGGER_PAYLOAD_TOO_LARGE");
  assert.equal(await codeOf(readHookBody(new PassThrough(), String(HOOK_BODY_BYTES + 1))), "WOML_TRIGGER_PAYLOAD_TOO_LARGE");
});

test("a body that comes too slowly, or ends before its end, is none", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const slow = new PassThrough();
  const read = codeOf(readHookBody(slow, "4"));
  slow.write("{");
  t.mock.timers.tick(HOOK_BODY_MS - 1);
  await turn();
  t.mock.timers.tick(1);
  assert.equal(await read, "WOML_TRIGGER_PAYLOAD_INVALID");
  const broken = new PassThrough();
  const left = codeOf(readHookBody(broken, "4"));
  broken.write("{");
  broken.destroy();
  assert.equal(await left, "WOML_TRIGGER_PAYLOAD_INVALID");
});
