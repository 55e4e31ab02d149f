import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { noTelemetry, openLog, type SpanOptions, type Telemetry } from "@woml/boot";
import { hostOptions } from "../options.ts";
import { openPluginHost } from "../reach.ts";
import { openSupervisor } from "../supervisor.ts";
import { openShop } from "./far.ts";
import { asked, plugin, releasesOf, until } from "./place.ts";

interface Traced extends SpanOptions {
  readonly name: string;
  readonly set: Record<string, unknown>;
  ended: { readonly failure: string | undefined } | null;
}
function recorder(): { readonly telemetry: Telemetry; readonly spans: Traced[] } {
  const spans: Traced[] = [];
  const span: Telemetry["span"] = (name, options = {}) => {
    const one: Traced = { name, ...options, set: {}, ended: null };
    spans.push(one);
    const end = (failure?: string): void => {
      one.ended ??= { failure };
    };
    return { traceparent: null, set: (more) => void Object.assign(one.set, more), end };
  };
  return { telemetry: { ...noTelemetry, span }, spans };
}

test("each operation that is performed is a span that follows from its dispatch, and says what and how it ended, and nothing that was said", async (t) => {
  const shop = await openShop(t);
  const throws = plugin({ perform: "throw failure('CANARY_SECRET_' + 1, 'no ' + input.secret);" });
  const home = mkdtempSync(join(tmpdir(), "woml-spans-"));
  const { telemetry, spans } = recorder();
  const place = { socket: join(home, "s") };
  const supervisor = await openSupervisor({
    ...{ place, telemetry, options: hostOptions(JSON.stringify(shop.options)) },
    log: openLog("test", "silent"),
  });
  const door = await openPluginHost(place.socket, releasesOf());
  t.after(async () => {
    await door.close();
    await supervisor.stop();
    rmSync(home, { recursive: true, force: true });
  });
  const trace = `00-${"a".repeat(32)}-${"b".repeat(16)}-01`;
  const before = Date.now();
  const [one, other] = [asked(shop.release), asked(throws)];
  const slow = door.perform({ ...one, trace, effect: "keyed", input: '{"beforeMs":400,"note":"payload-word"}' });
  assert.ok(await until(() => supervisor.running() === 1));
  const secrets = { KEY: "CANARY_SECRET_1" };
  const input = JSON.stringify({ secret: { $secret: "KEY" } });
  const [charged, failed] = [await slow, await door.perform({ ...other, secrets, input })];
  assert.deepEqual([charged.status, failed.status], ["succeeded", "failed"]);
  assert.equal(supervisor.running(), 0);
  const [first, second] = spans;
  assert.ok(first !== undefined && second !== undefined && spans.length === 2);
  const what = { tenant: "a", capability: "test.plugin", operation: "act" };
  assert.deepEqual(
    [first.name, first.parent, first.attributes, first.set, first.ended],
    ["plugin test.plugin.act", trace, { ...what, run: one.run, effect: "keyed" }, { outcome: "succeeded" }, { failure: undefined }],
  );
  assert.ok((first.startedAt ?? 0) >= before && (second.startedAt ?? 0) <= Date.now());
  assert.deepEqual(
    [second.parent, second.attributes, second.set, second.ended],
    [undefined, { ...what, run: other.run, effect: "unsafe" }, { outcome: "failed" }, { failure: "WOML_PLUGIN_CODE_HIDDEN" }],
  );
  assert.doesNotMatch(JSON.stringify(spans), /CANARY|payload-word|127\.0\.0\.1/);
  const late = asked(shop.release);
  assert.equal((await door.perform({ ...late, notAfter: late.now - 1 })).status, "refused");
  assert.equal(spans.length, 2, "what was not accepted was not performed");
});
