import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import type { SupervisorProcess } from "@woml/child";
import { openDoor, type Sandbox } from "../door.ts";
import type { Outcome } from "../frames.ts";
import { startSupervisor } from "../start.ts";
import { asked, PATIENT } from "./place.ts";

describe("what a script comes to", () => {
  const home = mkdtempSync(join(tmpdir(), "woml-sandbox-"));
  let supervisor: SupervisorProcess;
  let door: Sandbox;
  before(async () => {
    supervisor = await startSupervisor({ socket: join(home, "s") });
    door = await openDoor(join(home, "s"));
  });
  after(async () => {
    await door.close();
    await supervisor.stop();
    rmSync(home, { recursive: true, force: true });
  });
  const run = (text: string): Promise<Outcome> => door.invoke(asked(text));

  const results: readonly (readonly [string, unknown])[] = [
    ["return { n: context.payload.n + 1, attempt: attempt.number }", { n: 2, attempt: 1 }],
    ["return null", null],
    ["return 'ä€😀\\u2028\\n\"'", 'ä€😀\u2028\n"'],
    ["return [-0, 1e21, 1.5, true, [], {}]", [0, 1e21, 1.5, true, [], {}]],
    ["return JSON.parse('{\"__proto__\":1}')", JSON.parse('{"__proto__":1}')],
    ["return Object.create(null)", {}],
    ["return { toJSON: () => 7 }", 7],
    ["return await Promise.resolve().then(() => 3)", 3],
    ["return { same: [context.payload, context.payload] }", { same: [{ n: 1 }, { n: 1 }] }],
    ["return 1 // a comment at the end", 1],
    ["return 1 /* closed */", 1],
    ["return [typeof host, typeof process, typeof require, typeof WebAssembly]", Array(4).fill("undefined")],
    ["return [typeof this, arguments.length]", ["undefined", 4]],
    ["return Object.isFrozen(context.steps.first.list[1]) && Object.isFrozen(attempt) && Object.isFrozen(console)", true],
  ];
  const seen = ["undefined", "undefined", "undefined", "undefined", "undefined"];
  for (const [text, value] of [
    ...results,
    ["return [typeof this, typeof host, typeof process, typeof require, typeof WebAssembly]", seen] as const,
  ]) {
    test(`ok: ${text}`, async () => {
      const { outcome, result, failure, detail } = await run(text);
      assert.equal(outcome, "ok", JSON.stringify({ failure, detail }));
      assert.deepEqual(JSON.parse(result ?? ""), value);
    });
  }

  const invalid: readonly (readonly [string, string])[] = [
    ["", "$: undefined"],
    ["return { a: [1, { b: undefined }] }", "$.a[1].b: undefined"],
    ["return () => 1", "$: function"],
    ["return { s: Symbol('x') }", "$.s: symbol"],
    ["return [1n]", "$[0]: bigint"],
    ["return { 'a b': NaN }", '$["a b"]: not a finite number'],
    ["return [Infinity]", "$[0]: not a finite number"],
    ["return { at: new Date(0) }", "$.at: a class instance"],
    ["return new Map()", "$: a class instance"],
    ["const a = { b: [] }; a.b.push(a); return a", "$.b[0]: a cycle"],
    ["return ['\\ud800']", "$[0]: U+0000 or a lone surrogate"],
    ["return { 'a\\u0000': 1 }", '$["a\\u0000"]: U+0000 or a lone surrogate'],
    ["let v = 1; for (let i = 0; i < 1001; i++) v = [v]; return v", "nested too deep"],
  ];
  for (const [text, detail] of invalid) {
    test(`PC-16: invalid_result: ${text}`, async () => {
      const found = await run(text);
      assert.equal(found.outcome, "invalid_result");
      assert.ok(found.detail?.endsWith(detail), String(found.detail));
    });
  }

  test("result_too_large names the limit and the size", async () => {
    const limits = { ...asked("").limits, resultBytes: 10 };
    const fits = await door.invoke(asked("return 'éééé'", { limits }));
    assert.equal(fits.outcome, "ok");
    const bytes = await door.invoke(asked("return 'ééééé'", { limits }));
    assert.deepEqual([bytes.outcome, bytes.detail], ["result_too_large", "limit 10 bytes, result 12 bytes"]);
    const chars = await door.invoke(asked("return 'x'.repeat(50)", { limits }));
    assert.deepEqual([chars.outcome, chars.detail], ["result_too_large", "limit 10 bytes, result at least 50 bytes"]);
  });

  test("a failure names line and column of the .woml, and no frame of ours", async () => {
    const { failure } = await run("const a = 1;\nfunction inner() {\n  throw new TypeError('no');\n}\nawait 0;\ninner();");
    assert.deepEqual(failure, { name: "TypeError", message: "no", stack: "TypeError: no\n    at inner (a.woml:12:9)\n    at a.woml:15:1" });
    const first = await run("null.x");
    assert.equal(first.failure?.stack.split("\n").slice(1).join(), "    at a.woml:10:10");
    const syntax = await run("const a = 1;\nconst b = ;");
    assert.deepEqual([syntax.outcome, syntax.failure?.stack], ["script_syntax", "SyntaxError: Unexpected token ';'\n    at a.woml:11:11"]);
    const early = await door.invoke(
      asked("const b = ;", { script: { digest: "e", text: "const b = ;", file: "b.woml", line: 1, column: 1 } }),
    );
    assert.equal(early.failure?.stack, "SyntaxError: Unexpected token ';'\n    at b.woml:1:11");
  });

  test("a body cannot give itself another name in a stack", async () => {
    for (const name of ["woml:guest", "evil.js"]) {
      const { failure } = await run(`throw new Error("x");\n//# sourceURL=${name}`);
      assert.equal(failure?.stack.split("\n")[1], "    at a.woml:10:11");
    }
  });
  test("lines are those of the .woml, which LF alone ends", async () => {
    const second = "const s = '\u2029', f = () => { throw new Error('a.woml:1:1') };\r\r f();";
    const { failure } = await run(`/* \r\u2028 */\r\n${second}`);
    const [thrown, called] = [second.indexOf("new") + 1, second.indexOf("f();") + 1];
    assert.equal(failure?.stack, `Error: a.woml:1:1\n    at f (a.woml:11:${thrown})\n    at a.woml:11:${called}`);
    assert.equal((await run("/*\r*/ null.x")).failure?.stack.split("\n")[1], "    at a.woml:10:16");
    assert.equal((await run("/*\r*/ with (1) {}")).failure?.stack.split("\n")[1], "    at a.woml:10:11");
  });

  const syntax = [
    "const context = 1",
    "}); globalThis.x = 1; (async function () {",
    "return 1 }",
    "with (context) {}",
    "import x from 'y'",
    "/* open",
    "return `open",
  ];
  for (const text of syntax) test(`script_syntax: ${text}`, async () => assert.equal((await run(text)).outcome, "script_syntax"));

  const threw: readonly (readonly [string, string, string])[] = [
    ["throw null", "Error", "null"],
    ["throw 'text'", "Error", "text"],
    ["context.steps.first.list[1].deep = 2", "TypeError", "Cannot assign to read only property 'deep' of object '#<Object>'"],
    ["context.more = 1", "TypeError", "Cannot add property more, object is not extensible"],
    ["attempt.number = 2", "TypeError", "Cannot assign to read only property 'number' of object '#<Object>'"],
    ["undeclared = 1", "ReferenceError", "undeclared is not defined"],
    ["Promise.reject(new RangeError('detached')); return 1", "RangeError", "detached"],
    ["throw { name: 'Own', message: 'said' }", "Own", "said"],
    ["class Bad extends Error { get message() { throw 1; } } throw new Bad()", "Error", ""],
    ["return { get a() { throw new Error('in a getter'); } }", "Error", "in a getter"],
    ["console = 1", "TypeError", "Cannot assign to read only property 'console' of object '#<Object>'"],
  ];
  for (const [text, name, message] of threw) {
    test(`script_threw: ${text}`, async () => {
      const { outcome, failure } = await run(text);
      assert.equal(outcome, "script_threw");
      assert.deepEqual([failure?.name, failure?.message], [name, message]);
    });
  }

  test("what a failure says is cut, and can be stored", async () => {
    const { failure } = await run(
      "const e = new Error('\\ud800\\u0000' + 'x'.repeat(1e6)); e.name = 'n'.repeat(1e6); e.stack = 's'.repeat(1e6); throw e",
    );
    assert.deepEqual([failure?.name.length, failure?.message.length, failure?.stack.length], [256, 4_096, 8_192]);
    assert.ok(failure?.message.startsWith("\ufffd\ufffdx"));
  });

  test("cpu_exceeded, wall_exceeded and memory_exceeded end the worker; the next script has another", async () => {
    const cpu = await run("for (;;);");
    const wall = await run("await new Promise(() => {})");
    const hoards = "const kept = []; for (;;) kept.push(new Array(1e5).fill(kept.length).map(String).join());";
    const memory = await door.invoke(asked(hoards, { limits: PATIENT }));
    assert.deepEqual([cpu.outcome, wall.outcome], ["cpu_exceeded", "wall_exceeded"]);
    assert.ok(["memory_exceeded", "cpu_exceeded", "worker_crashed"].includes(memory.outcome), memory.outcome);
    assert.ok(cpu.cpuMs >= 400 && wall.cpuMs < 400 && wall.ms >= 1_500);
    assert.equal(new Set([cpu.workerPid, wall.workerPid, memory.workerPid, (await run("return 1")).workerPid]).size, 4);
  });

  test("nothing of one invocation is seen by the next in the same worker", async () => {
    const text = "globalThis.left = 1; Array.prototype.left = 1; JSON.parse = 1; Symbol.iterator.left = 1; return 1";
    const first = await run("const o = Object.prototype; o.left = 1; globalThis.left = 1; Array.prototype.map = 1; return 1");
    const next = await run("return [typeof left, ({}).left === undefined, [1].map((n) => n + 1)[0], typeof JSON.parse]");
    assert.equal(first.workerPid, next.workerPid);
    assert.deepEqual(JSON.parse(next.result ?? ""), ["undefined", true, 2, "function"]);
    assert.equal((await run(text)).outcome, "script_threw");
  });

  test("console lines arrive in order, and past the bounds one notice and no more", async () => {
    const heard: string[] = [];
    const line = (level: string, text: string): void => void heard.push(`${level} ${text}`);
    await door.invoke(
      asked("console.log('a', 1, { b: [null] }, undefined); console.error(new Error('e')); console.warn('w\\u0000'); return 1"),
      { line },
    );
    assert.deepEqual(heard.splice(0), ['log a 1 {"b":[null]} undefined', "error Error: e", "warn w\ufffd"]);
    const outcome = await door.invoke(asked("for (let i = 0; i < 1e4; i++) console.log('x'.repeat(1000)); return 1"), { line });
    assert.equal(outcome.outcome, "ok");
    assert.deepEqual([heard.length, heard.at(-1)], [66, "warn The console's limit was reached; further lines are dropped."]);
    heard.length = 0;
    await door.invoke(asked("for (let i = 0; i < 5000; i++) console.info(i); return 1"), { line });
    assert.deepEqual([heard.length, heard[999], heard[1000]?.slice(0, 4)], [1_001, "info 999", "warn"]);
  });

  test("a text or limit out of bounds is refused at the door", async () => {
    const far = await door.invoke(asked("return 1", { context: `"${"x".repeat(5e6)}"` }));
    assert.deepEqual([far.outcome, far.workerPid], ["protocol_violation", undefined]);
    assert.match(far.detail ?? "", /^context is not a text of at most 4194304 bytes/);
  });
});
