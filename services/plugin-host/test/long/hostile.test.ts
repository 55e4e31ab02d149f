import assert from "node:assert/strict";
import { test } from "node:test";
import { serve } from "../broker-place.ts";
import { asked, openPlace, plugin } from "../place.ts";

const OPTIONS = { pingEveryMs: 200, pongWithinMs: 1_500, pauseMs: 1 };
const FORGE = "const { writeSync } = await import('node:fs');";
interface Hostile {
  readonly name: string;
  readonly release: string;
  readonly code: string;
  readonly message?: RegExp;
  readonly timeoutMs?: number;
}
const HOSTILE: readonly Hostile[] = [
  {
    name: "answers what its schema forbids",
    release: plugin({ perform: "return { a: 1 };", operation: { output: { type: "string" } } }),
    code: "WOML_PLUGIN_RESULT_INVALID",
  },
  { name: "answers what is no JSON", release: plugin({ perform: "return 10n;" }), code: "WOML_PLUGIN_RESULT_INVALID" },
  { name: "answers nothing", release: plugin({ perform: "" }), code: "WOML_PLUGIN_RESULT_INVALID" },
  {
    name: "answers a nest of 5,000",
    release: plugin({ perform: "let a = []; for (let i = 0; i < 5_000; i++) a = [a]; return a;" }),
    code: "WOML_PLUGIN_RESULT_INVALID",
  },
  { name: "answers 5 MB", release: plugin({ perform: "return 'x'.repeat(5_000_000);" }), code: "WOML_PLUGIN_RESULT_TOO_LARGE" },
  {
    name: "answers more than its manifest says",
    release: plugin({ perform: "return 'x'.repeat(200);", operation: { maxOutputBytes: 100 } }),
    code: "WOML_PLUGIN_RESULT_TOO_LARGE",
  },
  { name: "hangs", release: plugin({ perform: "await new Promise(() => {});" }), code: "WOML_PLUGIN_TIMEOUT", timeoutMs: 400 },
  { name: "holds its thread", release: plugin({ perform: "for (;;);" }), code: "WOML_PLUGIN_CRASHED", message: /silent/ },
  { name: "exits", release: plugin({ perform: "process.exit(0);" }), code: "WOML_PLUGIN_CRASHED", message: /exit 0/ },
  {
    name: "throws something",
    release: plugin({ perform: "throw new TypeError('odd');" }),
    code: "WOML_PLUGIN_CRASHED",
    message: /TypeError: odd/,
  },
  {
    name: "throws what throws when it is read",
    release: plugin({ perform: "throw Object.defineProperty(new Error(), 'message', { get() { throw 1; } });" }),
    code: "WOML_PLUGIN_CRASHED",
  },
  {
    name: "leaves a rejection unheard",
    release: plugin({ perform: "void Promise.reject(new Error('later')); await new Promise(() => {});" }),
    code: "WOML_PLUGIN_CRASHED",
    message: /exit 1/,
  },
  {
    name: "grows without end",
    release: plugin({
      perform: "const all = []; for (;;) { all.push(Buffer.alloc(8_000_000, 1)); await null; await new Promise((r) => setTimeout(r, 1)); }",
    }),
    code: "WOML_PLUGIN_CRASHED",
    message: /MB|SIG|exit/,
  },
  {
    name: "logs without end",
    release: plugin({
      perform: "for (let i = 0; i < 100_000; i++) call.log('x'.repeat(10_000)); return 1;",
      operation: { output: { type: "string" } },
    }),
    code: "WOML_PLUGIN_RESULT_INVALID",
  },
  {
    name: "asks for more than it may",
    release: plugin({
      perform:
        "await Promise.all(Array.from({ length: 5_000 }, () => call.http.request({ url: 'http://x.example/' }).catch(() => 0))); return 1;",
    }),
    code: "WOML_PLUGIN_CRASHED",
    message: /more requests/,
  },
  {
    name: "writes into its supervisor's channel",
    release: plugin({ perform: `${FORGE} writeSync(3, 'garbage garbage'); await new Promise(() => {});` }),
    code: "WOML_PLUGIN_CRASHED",
    message: /cannot import/,
  },
  {
    name: "imports the file system",
    release: plugin({ perform: "return 1;", outside: "import 'node:fs';" }),
    code: "WOML_PLUGIN_START_FAILED",
    message: /node:fs/,
  },
  {
    name: "imports another file",
    release: plugin({ perform: "return 1;", outside: "import '/etc/passwd';" }),
    code: "WOML_PLUGIN_START_FAILED",
  },
  { name: "is no module", release: plugin({ perform: "return 1;", outside: "this is not;" }), code: "WOML_PLUGIN_START_FAILED" },
  {
    name: "throws while it is loaded",
    release: plugin({ perform: "return 1;", outside: "throw new Error('early');" }),
    code: "WOML_PLUGIN_START_FAILED",
    message: /early/,
  },
  {
    name: "exits while it is loaded",
    release: plugin({ perform: "return 1;", outside: "process.exit(3);" }),
    code: "WOML_PLUGIN_CRASHED",
    message: /exit 3/,
  },
  {
    name: "never ends loading",
    release: plugin({ perform: "return 1;", outside: "await new Promise(() => {});" }),
    code: "WOML_PLUGIN_CRASHED",
  },
];
const FINE = plugin({ perform: "return 'fine';" });

test("whatever a plugin does: a known failure with its code, and a neighbour's answers within 250 ms", async (t) => {
  const { door } = await openPlace(t, { ...OPTIONS, startMs: 3_000 });
  const fine = () => door.perform(asked(FINE, { tenant: "neighbour" }));
  await fine();
  for (const { name, release, code, message = /./, timeoutMs = 10_000 } of HOSTILE) {
    await t.test(name, async () => {
      const hostile = door.perform(asked(release, { timeoutMs }));
      let over = false;
      // One hiccup of a machine that does other things as well is not the plugin's doing.
      const slow: number[] = [];
      void hostile.then(() => {
        over = true;
      });
      while (!over) {
        const before = performance.now();
        assert.equal((await fine()).status, "succeeded");
        const ms = performance.now() - before;
        if (ms >= 250) slow.push(Math.round(ms));
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      assert.ok(slow.length <= 1, `the neighbour waited ${slow} ms`);
      const performed = await hostile;
      assert.ok(performed.status === "failed", JSON.stringify(performed));
      assert.equal(performed.code, code, performed.message);
      assert.match(performed.message, message);
    });
  }
});

const POWERS: Readonly<Record<string, string>> = {
  "signals the supervisor": "process.kill(process.ppid, 'SIGKILL');",
  "signals by node:process": "const { kill } = await import('node:process'); kill(process.ppid, 'SIGKILL');",
  "opens a debugger in the supervisor": "process._debugProcess(process.ppid);",
  "starts a program": "(await import('node:child_process')).execSync('id');",
  "starts a program by another door": "process.getBuiltinModule('node:child_process').execSync('id');",
  "starts a thread": "new (await import('node:worker_threads')).Worker('1', { eval: true });",
  "opens a socket": "(await import('node:net')).connect(80, '127.0.0.1');",
  "fetches by itself": "await fetch('http://127.0.0.1:80/');",
  "looks up a name": "await (await import('node:dns/promises')).lookup('example.com');",
  "reads a file": "(await import('node:fs')).readFileSync('/etc/passwd');",
  "takes hold of the channel": "process._getActiveHandles().find(({ write }) => write).write('garbage');",
  "reads by an internal binding": "process.binding('fs');",
  "imports by a data URL":
    "(await import('data:text/javascript,import fs from \"node:fs\"; export default fs')).default.readFileSync('/etc/passwd');",
  "imports by made up code": "const { readFileSync } = await new Function(\"return import('node:fs')\")(); readFileSync('/etc/passwd');",
  "changes the engine's flags": "(await import('node:v8')).setFlagsFromString('--allow-natives-syntax');",
};
test("what a plugin has no use for it does not have", async (t) => {
  const { door } = await openPlace(t, OPTIONS);
  const does = plugin({ perform: "return await eval('(async () => {' + input.code + '})()');" });
  const doing = (code: string) => door.perform(asked(does, { input: JSON.stringify({ code }) }));
  assert.deepEqual(await doing("return Object.keys(process.env);"), {
    status: "succeeded",
    result: "[]",
    evidence: "It asked for nothing.",
  });
  for (const [name, code] of Object.entries(POWERS)) {
    await t.test(name, async () => {
      const performed = await doing(`${code} return "done";`);
      assert.ok(performed.status === "failed", JSON.stringify(performed));
      assert.equal(performed.code, "WOML_PLUGIN_CRASHED");
      assert.match(performed.message, /^The plugin broke: /);
    });
  }
});

test("once a byte may have left, no end of the plugin is a known failure, unless it is pure", async (t) => {
  const { port } = await serve(t, ({ url }, response) => (url === "/hang" ? undefined : void response.end("ok")));
  const network = (method: string) => [{ host: "127.0.0.1", ports: [port], methods: [method], reason: "test" }];
  const { door } = await openPlace(t, { ...OPTIONS, privateHosts: [`127.0.0.1:${port}`] });
  const sends = (then: string, effect: "unsafe" | "pure" = "unsafe", path = "/") => {
    const method = effect === "pure" ? "GET" : "POST";
    const request = `call.http.request({ method: "${method}", url: "http://127.0.0.1:${port}${path}" })`;
    const release = plugin({
      perform: then.replaceAll("SEND", request),
      manifest: { permissions: { network: network(method) } },
      operation: { effect, output: { type: "number" } },
    });
    return door.perform(asked(release, { effect, timeoutMs: 1_000 }));
  };
  const ends: Readonly<Record<string, string>> = {
    WOML_PLUGIN_CRASHED: "await SEND; process.exit(1);",
    WOML_PLUGIN_TIMEOUT: "await SEND; await new Promise(() => {});",
    WOML_PLUGIN_RESULT_INVALID: "await SEND; return 'garbage';",
    WOML_PLUGIN_RESULT_TOO_LARGE: "await SEND; return 'x'.repeat(2_000_000);",
  };
  for (const [code, then] of Object.entries(ends)) {
    const unsafe = await sends(then);
    assert.deepEqual([unsafe.status, "code" in unsafe && unsafe.code], ["ambiguous", code]);
    const pure = await sends(then, "pure");
    const status = code === "WOML_PLUGIN_CRASHED" ? "ambiguous" : "failed";
    assert.deepEqual([pure.status, "code" in pure && pure.code], [status, code]);
  }
  const wrapped = await sends("try { await SEND } catch (error) { throw failure('WRAPPED', 'all is well') } return 1;", "unsafe", "/hang");
  assert.deepEqual([wrapped.status], ["ambiguous"], JSON.stringify(wrapped));
  assert.equal(
    (
      await sends(
        "void SEND.catch(() => 0); await new Promise((r) => setTimeout(r, 300)); throw failure('EARLY', 'no');",
        "unsafe",
        "/hang",
      )
    ).status,
    "ambiguous",
  );
  assert.equal(
    (await sends("try { await Promise.race([SEND, new Promise((r) => setTimeout(r, 300))]) } catch {} return 1;", "unsafe", "/hang"))
      .status,
    "succeeded",
  );
  const known = await sends("await SEND; throw failure('DECLINED', 'the provider says no');");
  assert.deepEqual([known.status, "code" in known && known.code], ["failed", "DECLINED"]);
});

test("a secret in an error, a code, a log line or a result does not leave the host", async (t) => {
  const { door } = await openPlace(t, OPTIONS);
  const value = "hunter2hunter2";
  const secrets = { PASSWORD: value };
  const hex = Buffer.from(value).toString("hex");
  const tells = [
    plugin({ perform: `throw failure("CODE", "password ${value}");` }),
    plugin({ perform: `throw new Error("password ${value}, ${hex}");` }),
    plugin({ perform: `return { ["${value}"]: ["${hex}", btoa("${value}")] };` }),
    plugin({ perform: `throw failure("CODE", "x".repeat(1_015) + "${value}");` }),
  ];
  for (const release of tells) {
    const told = JSON.stringify(await door.perform(asked(release, { secrets })));
    for (const form of [value, hex, btoa(value), value.slice(0, 9)]) assert.ok(!told.includes(form), told);
  }
});
