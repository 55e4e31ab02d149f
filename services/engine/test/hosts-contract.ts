import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { At, Dispatch, PluginHost } from "@woml/plugin-host";
import { TENANT, uuid } from "./stage.ts";

/** Two hosts behind one door; their plugin answers after `input.ms`, its provider says `"found"`. */
export interface GivenHosts {
  readonly door: PluginHost;
  readonly ids: readonly [string, string];
  readonly release: string;
  /** How often the plugin has performed under a key, on whichever host. */
  readonly done: (key: string) => number | Promise<number>;
  /** The line to it breaks, while it goes on. Resolves when the door knows, as `back` does. */
  readonly cut: (host: string) => Promise<void>;
  readonly back: (host: string) => Promise<void>;
  /** Its process ends. */
  readonly end: (host: string) => Promise<void>;
  readonly close: () => Promise<void>;
}
let count = 0;

/** What the engine relies on where there are several hosts, beside what pluginContract says of the one it chose. */
export function hostsContract(name: string, start: () => Promise<GivenHosts>): void {
  describe(`several plugin hosts: ${name}`, () => {
    let given: GivenHosts;
    before(async () => {
      given = await start();
    });
    after(() => given.close());

    const dispatch = (host: string, more: Partial<Dispatch> = {}): Dispatch & At => {
      count += 1;
      const now = Date.now();
      const key = createHash("sha256").update(`several ${count}`).digest("hex");
      return {
        ...{ engine: uuid(), run: uuid(), epoch: 1, now, notAfter: now + 60_000, tenant: TENANT, attempt: 1, try: 1, key },
        ...{ release: given.release, operation: "act", effect: "unsafe", input: "{}", timeoutMs: 20_000, secrets: {}, host },
        ...more,
      };
    };
    const status = (said: { readonly status: string } | null): string => said?.status ?? "not known";

    it("a dispatch goes to the host that it names, and no other knows it", async () => {
      const { door, ids } = given;
      for (const [host, other] of [ids, [...ids].reverse()]) {
        const one = dispatch(host ?? "");
        assert.equal(status(await door.perform(one)), "succeeded");
        assert.equal(status(await door.attach(one)), "succeeded");
        assert.equal(status(await door.attach({ ...one, host: other ?? "" })), "not known");
      }
      assert.ok(ids.some((id) => id === door.choose(TENANT, given.release)));
    });
    it("nothing is handed to a host that is not there, then or later; another is chosen", async () => {
      const { door, ids } = given;
      const [first, second] = ids;
      await given.cut(first);
      const one = dispatch(first);
      assert.deepEqual([status(await door.perform(one)), status(await door.attach(one))], ["gone", "gone"]);
      assert.equal(door.choose(TENANT, given.release), second);
      assert.equal(status(await door.reattach(dispatch(first, { effect: "reattachable" }))), "succeeded", "who only asks may ask anywhere");
      await given.cut(second);
      assert.equal(door.choose(TENANT, given.release), null);
      assert.equal(status(await door.reattach(dispatch(first, { effect: "reattachable" }))), "refused");
      for (const id of ids) await given.back(id);
      assert.equal(await given.done(one.key), 0);
      assert.equal(status(await door.attach(one)), "not known");
    });
    it("3: the line breaks under a dispatch and is whole again: its host says what became of it, which was once", async () => {
      const [host] = given.ids;
      const one = dispatch(host, { input: '{"ms":1500}' });
      const performing = given.door.perform(one);
      await sleep(300);
      await given.cut(host);
      await sleep(500);
      await given.back(host);
      assert.equal(status(await performing), "succeeded");
      assert.equal(await given.done(one.key), 1);
    });
    it("3: it stays broken: out of reach after five seconds, gone to who asks, and known there when it is back; a pure one is refused at once", async () => {
      const [host, other] = given.ids;
      const one = dispatch(host, { input: '{"ms":1000}' });
      const performing = given.door.perform(one);
      const attaching = given.door.attach(one);
      const pure = given.door.perform(dispatch(host, { effect: "pure", operation: "look", input: '{"ms":1000}' }));
      const elsewhere = given.door.perform(dispatch(other, { input: '{"ms":1000}' }));
      await sleep(300);
      await given.cut(host);
      const cutAt = performance.now();
      assert.deepEqual([status(await attaching), status(await pure)], ["gone", "refused"]);
      assert.ok(performance.now() - cutAt < 1_000);
      assert.equal(status(await performing), "out_of_reach");
      const waitedMs = performance.now() - cutAt;
      assert.ok(waitedMs > 4_500 && waitedMs < 9_000, `${waitedMs}`);
      assert.equal(status(await elsewhere), "succeeded");
      await given.back(host);
      assert.equal(status(await given.door.attach(one)), "succeeded");
      assert.equal(await given.done(one.key), 1);
    });
    it("a host that ends under a dispatch is not there any more for it, and the other goes on", async () => {
      const [host, other] = given.ids;
      const one = dispatch(host, { input: '{"ms":60000}', timeoutMs: 90_000 });
      const performing = given.door.perform(one);
      await sleep(300);
      await given.end(host);
      assert.equal(status(await performing), "out_of_reach");
      assert.equal(status(await given.door.attach(one)), "gone");
      assert.equal(given.door.choose(TENANT, given.release), other);
      assert.equal(status(await given.door.perform(dispatch(other))), "succeeded");
    });
  });
}
