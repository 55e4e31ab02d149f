import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { after, before, describe, it } from "node:test";
import type { At, Dispatch, PluginHost } from "@woml/plugin-host";
import { TENANT, uuid } from "./stage.ts";

/** A host, or several behind one door, whose plugin answers `{ input, count }` after `input.ms`, counting, and whose provider says `"found"`. */
export interface Given {
  readonly host: PluginHost;
  readonly release: string;
  readonly close: () => Promise<void>;
}
let count = 0;

/** What the engine relies on at the plugin host, or at the one of several that it chose; the doubles of its tests and the real ones all keep it. */
export function pluginContract(name: string, start: () => Promise<Given>): void {
  describe(`plugin host contract: ${name}`, () => {
    let given: Given;
    before(async () => {
      given = await start();
    });
    after(() => given.close());

    const dispatch = (more: Partial<Dispatch> = {}): Dispatch & At => {
      count += 1;
      const now = Date.now();
      const host = given.host.choose(TENANT, given.release);
      return {
        ...{ engine: uuid(), run: uuid(), epoch: 1, now, notAfter: now + 15_000, tenant: TENANT, attempt: 1, try: 1 },
        ...{
          key: createHash("sha256").update(String(count)).digest("hex"),
          release: given.release,
          operation: "act",
          effect: "unsafe" as const,
        },
        ...{ input: "{}", timeoutMs: 10_000, secrets: {} },
        ...(typeof host === "string" && { host }),
        ...more,
      };
    };
    const counted = (said: Awaited<ReturnType<PluginHost["perform" | "attach"]>>): number => {
      assert.ok(said?.status === "succeeded", JSON.stringify(said));
      const { count: times }: { count: number } = JSON.parse(said.result);
      return times;
    };
    const refusal = (said: { readonly status: string; readonly reason?: string } | null): string | undefined =>
      said?.status === "refused" ? said.reason : said?.status;

    it("performs a dispatch, and the same one again not", async () => {
      const one = dispatch({ input: '{"ms":30}' });
      const [first, joined] = await Promise.all([given.host.perform(one), given.host.perform(one)]);
      const later = await given.host.perform({ ...one, now: Date.now() });
      assert.deepEqual([counted(joined), counted(later)], [counted(first), counted(first)]);
      assert.notEqual(counted(await given.host.perform({ ...one, try: 2 })), counted(first));
    });
    it("joins what it still knows, while it runs and when it has ended", async () => {
      const one = dispatch({ input: '{"ms":200}' });
      const running = given.host.perform(one);
      await new Promise((resolve) => void setTimeout(resolve, 50));
      const joined = await given.host.attach({ ...one, epoch: 2 });
      assert.equal(counted(joined), counted(await running));
      assert.equal(counted(await given.host.attach({ ...one, epoch: 2 })), counted(await running));
    });
    it("knows a dispatch that comes just before it is asked for, or refuses it: never neither", async () => {
      const one = dispatch({ input: '{"ms":10}' });
      const [performed, joined] = await Promise.all([given.host.perform(one), given.host.attach({ ...one, epoch: 2 })]);
      if (joined === null) assert.equal(refusal(performed), "fenced");
      else assert.equal(counted(joined), counted(performed));
    });
    it("does not know what it was never given, and does not take it afterwards", async () => {
      const one = dispatch();
      assert.equal(await given.host.attach(one), null);
      assert.equal(refusal(await given.host.perform(one)), "fenced");
      assert.equal((await given.host.perform({ ...one, try: 2 })).status, "succeeded");
    });
    it("keeps no result of what has no effect", async () => {
      const one = dispatch({ effect: "pure", operation: "look" });
      assert.equal((await given.host.perform(one)).status, "succeeded");
      assert.equal(await given.host.attach(one), null);
    });
    it("takes nothing of an engine that has lost the run, and nothing that comes too late", async () => {
      const one = dispatch({ epoch: 3 });
      assert.equal((await given.host.perform(one)).status, "succeeded");
      assert.equal(refusal(await given.host.perform({ ...one, try: 2, epoch: 2 })), "fenced");
      assert.equal(refusal(await given.host.attach({ ...one, try: 2, epoch: 2 })), "fenced");
      assert.equal(refusal(await given.host.perform(dispatch({ notAfter: Date.now() - 1_000 }))), "late");
      const attached = dispatch();
      await given.host.attach({ ...attached, epoch: 2 });
      assert.equal(refusal(await given.host.perform({ ...attached, try: 2 })), "fenced");
    });
    it("asks the provider", async () => {
      const found = await given.host.reattach(dispatch({ effect: "reattachable" }));
      assert.deepEqual(found, { status: "succeeded", result: '"found"' });
    });
    it("minds no cancel of what it does not know", () => given.host.cancel(dispatch()));
  });
}
