// Texts of modules go over each line once, and again to whoever was started since: whatever dies, nothing runs without them.
import assert from "node:assert/strict";
import { connect } from "node:net";
import { test } from "node:test";
import { encode } from "@woml/child/framing";
import { BOUNDS } from "../../bounds.ts";
import { PROTOCOL, type ToSupervisor } from "../../frames.ts";
import { startSupervisor } from "../../start.ts";
import { bundled } from "../bundles.ts";
import { asked, openPlace, until } from "../place.ts";

const module = bundled("function f(n) { return n + 1; }", "f");
const modules = [{ alias: "a", ...module }];
const script = (n: number) => asked(`return services.a.f(${n})`, { modules });

test("a worker that is killed: its successor has the modules too, and so has each of several at once", async (t) => {
  const { door } = await openPlace(t);
  const { workerPid = 0, result } = await door.invoke(script(1));
  assert.equal(result, "2");
  process.kill(workerPid, "SIGKILL");
  const all = await Promise.all(Array.from({ length: 20 }, (_, n) => door.invoke(script(n))));
  for (const [n, outcome] of all.entries())
    assert.ok(outcome.outcome === "worker_crashed" || outcome.result === String(n + 1), outcome.outcome);
  assert.equal((await door.invoke(script(1))).result, "2");
});

test("a supervisor that is killed: the next one is sent them again", async (t) => {
  const { door, supervisor, socket } = await openPlace(t);
  assert.equal((await door.invoke(script(1))).result, "2");
  process.kill(supervisor.pid, "SIGKILL");
  await supervisor.exited;
  const next = await startSupervisor({ socket });
  t.after(() => next.stop());
  const results: (string | undefined)[] = [];
  const answered = await until(() => {
    void door.invoke(script(1)).then(({ result }) => results.push(result));
    return results.includes("2");
  });
  assert.ok(answered);
});

test("more modules than are kept: those that were pushed out are sent again", async (t) => {
  const { door } = await openPlace(t, { workersPerTenant: 1 });
  const many = Array.from({ length: 13 }, (_, n) =>
    bundled(`function f() { return ${n}; } // ${"x".repeat(BOUNDS.moduleBytes - 400)}`, "f"),
  );
  const limits = { ...asked("").limits, wallMs: 20_000 };
  for (const n of [...many.keys(), 0, 12, 1]) {
    const text = many[n] ?? assert.fail();
    const { outcome, result } = await door.invoke(asked("return services.a.f()", { modules: [{ alias: "a", ...text }], limits }));
    assert.deepEqual([outcome, result], ["ok", String(n)]);
  }
});

test("an engine that names a module which it did not send, or sends another text under its digest, is cut off", async (t) => {
  const { socket } = await openPlace(t);
  const { modules: _, ...plain } = script(1);
  const invoke = { frame: "invoke", ...plain, modules: [{ alias: "a", digest: module.digest }] } as const;
  const wrong = { frame: "module", digest: module.digest, text: `${module.text}//` } as const;
  const heard = (...frames: readonly ToSupervisor[]): Promise<string> =>
    new Promise((resolve) => {
      const line = connect(socket);
      let said = "";
      line.on("data", (chunk) => {
        said += chunk.toString("latin1");
        if (said.includes('"outcome"')) line.end();
      });
      line.on("close", () => resolve(said.includes('"outcome"') ? "answered" : "cut off"));
      for (const frame of [{ frame: "hello", protocol: PROTOCOL } as const, ...frames]) line.write(encode(frame, BOUNDS.frameBytes));
    });
  assert.equal(await heard({ frame: "module", ...module }, invoke), "answered");
  assert.equal(await heard(invoke), "cut off");
  assert.equal(await heard(wrong, invoke), "cut off");
});
