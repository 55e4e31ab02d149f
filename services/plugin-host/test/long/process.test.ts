import assert from "node:assert/strict";
import { readdirSync, statSync } from "node:fs";
import { connect } from "node:net";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { openPluginHost } from "../../reach.ts";
import { startPluginHost } from "../../start.ts";
import { serve } from "../broker-place.ts";
import { alive, asked, openPlace, plugin, pluginsOf, releasesOf, until } from "../place.ts";

const PID = plugin({ perform: "return process.pid;", operation: { output: { type: "number" } } });
const pidOf = (performed: { readonly status: string; readonly result?: string }) => Number(performed.result ?? 0);

test("kill -9 of a plugin's process: its calls are judged, the next call has a new process, another tenant's goes on", async (t) => {
  const waits = plugin({ perform: "await new Promise(() => {});" });
  const { door, socket } = await openPlace(t, { pauseMs: 1 });
  const other = pidOf(await door.perform(asked(PID, { tenant: "b" })));
  const live = [door.perform(asked(waits)), door.perform(asked(waits, { effect: "pure" }))];
  assert.ok(await until(() => pluginsOf(socket).length === 2));
  await sleep(500);
  const [pid = 0] = pluginsOf(socket).filter((one) => one !== other);
  process.kill(pid, "SIGKILL");
  for (const performed of await Promise.all(live)) {
    assert.ok(performed.status === "failed" && performed.code === "WOML_PLUGIN_CRASHED" && performed.retryable, JSON.stringify(performed));
    assert.match(performed.message, /SIGKILL/);
  }
  assert.equal(pidOf(await door.perform(asked(PID, { tenant: "b" }))), other);
  assert.ok(pidOf(await door.perform(asked(PID))) > 0);
});

test("an unused process ends and leaves nothing; a used one stays", async (t) => {
  const { door, socket } = await openPlace(t, { idleMs: 400 });
  const pid = pidOf(await door.perform(asked(PID)));
  for (let n = 0; n < 5; n++) {
    await sleep(200);
    assert.equal(pidOf(await door.perform(asked(PID))), pid);
  }
  assert.ok(await until(() => !alive(pid)));
  assert.ok(await until(() => readdirSync(`${socket}.releases`).length === 0));
  assert.equal(statSync(`${socket}.releases`).mode & 0o777, 0o700);
  assert.notEqual(pidOf(await door.perform(asked(PID))), pid);
});

test("without room an unused process ends for another; where all are used the asker hears overloaded", async (t) => {
  const waits = plugin({ perform: "await new Promise((resolve) => call.signal.addEventListener('abort', () => resolve())); return 1;" });
  const { door, socket } = await openPlace(t, { processes: 2, processesPerTenant: 1 });
  const first = pidOf(await door.perform(asked(PID)));
  const busy = asked(waits);
  const waiting = door.perform(busy);
  assert.ok(await until(() => !alive(first)), "of one tenant the unused makes room");
  const refused = await door.perform(asked(PID));
  assert.deepEqual([refused.status, "reason" in refused && refused.reason], ["refused", "overloaded"]);
  await door.perform(asked(PID, { tenant: "b" }));
  assert.equal((await door.perform(asked(PID, { tenant: "c" }))).status, "succeeded");
  assert.ok(await until(() => pluginsOf(socket).length === 2));
  door.cancel(busy);
  assert.equal((await waiting).status, "succeeded", "what it says after a cancel still counts");
});

test("what crashes again and again is started less and less often", async (t) => {
  const dies = plugin({ perform: "process.exit(1);" });
  const { door } = await openPlace(t, { pauseMs: 300 });
  const statuses = [];
  for (let n = 0; n < 4; n++) {
    const performed = await door.perform(asked(dies));
    statuses.push(performed.status === "refused" ? performed.reason : "code" in performed && performed.code);
  }
  assert.deepEqual(statuses, ["WOML_PLUGIN_CRASHED", "WOML_PLUGIN_CRASHED", "WOML_PLUGIN_CRASHED", "unavailable"]);
  assert.equal((await door.perform(asked(dies, { tenant: "b" }))).status, "failed");
});

test("a plugin that does not let go after its time is replaced, without harm to its other calls", async (t) => {
  const odd = plugin({
    perform: "if (input.hang) await new Promise(() => {}); await new Promise((r) => setTimeout(r, input.ms ?? 0)); return process.pid;",
  });
  const { door } = await openPlace(t);
  const pid = pidOf(await door.perform(asked(odd)));
  const slow = door.perform(asked(odd, { input: '{"ms":7000}' }));
  assert.equal((await door.perform(asked(odd, { input: '{"hang":true}', timeoutMs: 100 }))).status, "failed");
  assert.equal(pidOf(await slow), pid);
  assert.ok(await until(() => !alive(pid)));
  assert.notEqual(pidOf(await door.perform(asked(odd))), pid);
});

test("kill -9 of the supervisor: no process stays, not even one that never gives way; what may have been done is ambiguous", async (t) => {
  const { port, seen } = await serve(t, () => undefined);
  const network = [{ host: "127.0.0.1", ports: [port], methods: ["POST"], reason: "test" }];
  const sends = plugin({
    perform: `return (await call.http.request({ method: "POST", url: "http://127.0.0.1:${port}/" })).status;`,
    manifest: { permissions: { network } },
  });
  const spins = plugin({ perform: "for (;;);" });
  const { door, host, socket } = await openPlace(t, { privateHosts: [`127.0.0.1:${port}`], pongWithinMs: 60_000 });
  const sent = asked(sends);
  const waits = plugin({ perform: "await new Promise(() => {});" });
  const [unsafe, spinning] = [door.perform(sent), door.perform(asked(spins))];
  assert.ok(await until(() => pluginsOf(socket).length === 2));
  assert.ok(await until(() => seen.length === 1));
  const reading = door.perform(asked(waits, { effect: "pure" }));
  const finding = door.reattach(
    asked(plugin({ perform: "return 1;", reattach: "await new Promise(() => {});" }), { effect: "reattachable" }),
  );
  await sleep(200);
  process.kill(host.pid, "SIGKILL");
  const refused = { status: "refused", reason: "unavailable", message: "No plugin host is there." };
  assert.deepEqual([await reading, await finding], [refused, refused]);
  assert.deepEqual(await door.perform(asked(PID)), refused);
  let attached: unknown = "waits";
  const attaching = door.attach(sent).then((found) => {
    attached = found;
  });
  assert.ok(await until(() => pluginsOf(socket).length === 0), "a plugin outlived its supervisor");
  assert.equal(attached, "waits");
  const next = await startPluginHost({ socket });
  t.after(() => next.stop());
  for (const performed of await Promise.all([unsafe, spinning])) {
    assert.ok(performed.status === "ambiguous" && performed.code === "WOML_PLUGIN_HOST_LOST", JSON.stringify(performed));
  }
  await attaching;
  assert.equal(attached, null);
  assert.equal((await door.perform(asked(PID))).status, "succeeded");
});

test("a second engine joins what the first began, and is told what came of it after the first has gone", async (t) => {
  const slow = plugin({ perform: "await new Promise((r) => setTimeout(r, 800)); return process.pid;" });
  const { door, socket } = await openPlace(t);
  await door.perform(asked(slow));
  const dispatch = asked(slow);
  const first = door.perform(dispatch);
  const other = await openPluginHost(socket, releasesOf());
  t.after(() => other.close());
  await sleep(200);
  const joined = other.attach({ ...dispatch, engine: "e2", epoch: 2 });
  await door.close();
  assert.equal((await first).status, "ambiguous");
  assert.equal((await joined)?.status, "succeeded");
  assert.deepEqual(await other.perform({ ...dispatch, epoch: 2 }), await joined);
});

test("SIGTERM: what is nearly done is done, every process ends, and the folder is gone", async (t) => {
  const slow = plugin({ perform: "await new Promise((r) => setTimeout(r, input.ms)); return process.pid;" });
  const { door, host, socket } = await openPlace(t);
  await door.perform(asked(slow, { input: '{"ms":0}' }));
  const performed = door.perform(asked(slow, { input: '{"ms":500}' }));
  const endless = door.perform(asked(slow, { input: '{"ms":100000}', timeoutMs: 200_000 }));
  await sleep(100);
  await host.stop();
  assert.equal(await host.exited, "exit 0");
  await door.close();
  assert.equal((await performed).status, "succeeded");
  const ended = await endless;
  assert.ok(ended.status === "failed" && ended.code === "WOML_PLUGIN_CRASHED", JSON.stringify(ended));
  assert.deepEqual(pluginsOf(socket), []);
  assert.throws(() => statSync(`${socket}.releases`), { code: "ENOENT" });
});

test("a stranger on the socket is cut off and harms nobody", async (t) => {
  const { door, socket } = await openPlace(t);
  const frame = (text: string): Buffer => {
    const bytes = Buffer.alloc(4 + Buffer.byteLength(text));
    bytes.writeUInt32BE(bytes.length - 4);
    bytes.write(text, 4);
    return bytes;
  };
  const hello = frame('{"frame":"hello","protocol":2}');
  const noise = [
    frame(JSON.stringify({ frame: "perform", id: 1, dispatch: asked(PID) })),
    Buffer.concat([hello, frame(JSON.stringify({ frame: "perform", id: 1, dispatch: { ...asked(PID), more: 1 } }))]),
    Buffer.concat([hello, frame('{"frame":"nothing"}')]),
    Buffer.concat([hello, frame("not json")]),
    Buffer.from([0xff, 0xff, 0xff, 0xff]),
  ];
  for (const bytes of noise) {
    const { promise, resolve } = Promise.withResolvers<void>();
    const stranger = connect(socket, () => stranger.write(bytes));
    stranger.on("data", () => undefined).once("close", () => resolve());
    await promise;
  }
  assert.equal((await door.perform(asked(PID))).status, "succeeded");
});
