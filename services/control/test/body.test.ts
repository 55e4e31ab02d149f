import assert from "node:assert/strict";
import { test } from "node:test";
import { BODY_PARTS, parseBody } from "../body.ts";
import { ApiError } from "../errors.ts";
import { PAYLOAD_BYTES } from "../payload.ts";

/** Of so many texts side by side in a list, in about `bytes` bytes. */
const list = (text: string, bytes: number): string => `[${`${text},`.repeat(bytes / (text.length + 1))}1]`;

test("a body of many parts is refused before it is parsed, which would take far longer", () => {
  const [mebibyte, most] = [1024 * 1024, 4 * 1024 * 1024];
  const open = "[".repeat(most / 2);
  const bodies = [open + "]".repeat(most / 2), open, list("[]", most), list("{}", most), list('{"a":1}', most), list("1", most)];
  for (const body of bodies) {
    assert.throws(
      () => parseBody(body),
      (error) => error instanceof ApiError && error.code === "WOML_BODY_TOO_LARGE" && error.details["limit"] === BODY_PARTS,
      body.slice(0, 20),
    );
  }
  assert.ok(parseBody(list("1", mebibyte)));
});

test("no payload of the size that is taken has too many parts", () => {
  for (const text of ["[]", "{}", "1", '""', "[[]]", "{},[]", '{"a":1}', '{"a":{}}', '{"":[]}', '{"a":{"b":{}}}']) {
    assert.ok(parseBody(`{"variables":{"input":{"payload":{"a":${list(text, PAYLOAD_BYTES)}}}}}`), text);
  }
  const members = Array.from({ length: 110_000 }, (_, at) => `"${at.toString(36)}":1`).join(",");
  assert.ok(parseBody(`{${members}}`));
});

test("what stands in texts counts nothing, also behind escapes", () => {
  for (const inside of ["[{:,", '\\"[', "\\\\", '\\\\\\"{', "\\u0022,"]) {
    assert.ok(parseBody(`[${list("{}", 10_000)},"${inside.repeat(400_000)}"]`), inside);
  }
});
