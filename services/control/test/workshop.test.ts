import assert from "node:assert/strict";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { test } from "node:test";
import { compileFiles } from "../compiling.ts";
import { compiled, Workshop } from "../workshop.ts";
import { chain } from "./opened.ts";

const MODULE = `export function f(): number { return 1; }\n${Array.from({ length: 4_000 }, (_, n) => `export function f${n}(a: number): number { return a + ${n}; }`).join("\n")}`;
const WORKFLOW = chain("w", { s: "return services.m.f();" }).replace("<woml>", '<woml><imports><module name="m" from="./m.ts"/></imports>');
const LARGE = [
  { path: "w.woml", text: WORKFLOW },
  { path: "m.ts", text: MODULE },
  { path: "x.ts", text: "export function f() {}" },
];
const entry = (code: string): URL =>
  new URL(`data:text/javascript,${encodeURIComponent(`import { parentPort } from "node:worker_threads"; ${code}`)}`);

test("whatever the thread answers is what is answered without it", async () => {
  for (const asked of ["publish", "check"] as const) {
    const here = await compileFiles({ of: asked, files: LARGE });
    assert.deepEqual(await compiled({ of: asked, files: LARGE }), here);
    assert.deepEqual([here.documents.length, here.used], [1, [0, 1]]);
    assert.deepEqual(here.documents[0]?.diagnostics, []);
  }
});

test("who sends much holds up nobody: while it is compiled everything else moves", async () => {
  await compiled({ of: "check", files: LARGE });
  const before = performance.now();
  await compileFiles({ of: "check", files: LARGE });
  const tookMs = performance.now() - before;
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  await compiled({ of: "check", files: LARGE });
  delay.disable();
  assert.ok(delay.max / 1e6 < tookMs / 2, `held for ${delay.max / 1e6} ms of ${tookMs} ms`);
});

test("documents that import too much are refused with the same code by either way", async () => {
  const text = `<woml><imports>${Array.from({ length: 1 }, () => '<module name="m" from="./m.js"/>').join("")}</imports><step><script>return services.m.f()</script></step></woml>`;
  const lib = `export function f() { return 1; } // ${"x".repeat(200_000)}`;
  const files = [
    ...Array.from({ length: 30 }, (_, n) => ({ path: `${n}/d.woml`, text })),
    ...Array.from({ length: 30 }, (_, n) => ({ path: `${n}/m.js`, text: lib })),
  ];
  await assert.rejects(compiled({ of: "check", files }), { code: "WOML_SOURCES_INVALID", message: /import is too long/ });
});

test("a thread that ends, or takes too long, is refused with a code, and the next is asked of a new one", async () => {
  const asked = { of: "check", files: [] } as const;
  const dying = new Workshop(entry("parentPort.on('message', () => process.exit())"), 10_000);
  for (let n = 0; n < 2; n++) await assert.rejects(dying.make(asked), { code: "WOML_SOURCES_INVALID", message: /more time or memory/ });
  const endless = new Workshop(entry("parentPort.on('message', () => { for (;;); })"), 300);
  await assert.rejects(endless.make(asked), { code: "WOML_SOURCES_INVALID" });
  const once = new Workshop(entry("let n = 0; parentPort.on('message', () => parentPort.postMessage({ made: { n: n++ } }))"), 10_000);
  assert.deepEqual(await Promise.all([once.make(asked), once.make(asked)]), [{ n: 0 }, { n: 1 }]);
  const faulty = new Workshop(entry("parentPort.on('message', () => parentPort.postMessage({ fault: 'a bug' }))"), 10_000);
  await assert.rejects(faulty.make(asked), /a bug/);
});
