// What an engine gives to doors: sealed anew for each, and for nothing else (D1); what cannot be opened keeps no other waiting (D2).
import assert from "node:assert/strict";
import { test } from "node:test";
import { doorSealing, makeSealKeys, openLog, seal, unseal } from "@woml/boot";
import type { DoorWant } from "@woml/prisma";
import { asTenantId } from "@woml/run";
import { giveDoors } from "../triggers/doors.ts";

const tenant = asTenantId("019a0000-0000-7000-8000-00000000000a");
const platform = makeSealKeys();
const door = { id: "019a0000-0000-7000-8000-0000000000d1", ...makeSealKeys() };

function want(name: string, value: string, over: Partial<DoorWant> = {}): DoorWant {
  const sealed = seal(platform.publicKey, { tenant, name }, value);
  return { tenant, name, sealed, door: door.id, publicKey: door.publicKey, setAt: 1, ...over };
}
async function given(wants: readonly DoorWant[]): Promise<ReadonlyMap<string, Uint8Array>> {
  const made = new Map<string, Uint8Array>();
  const store = { wanting: async () => wants, give: async ({ name }: DoorWant, sealed: Uint8Array) => void made.set(name, sealed) };
  const world = {
    log: openLog("engine", "silent"),
    unseal: (of: { readonly tenant: string; readonly name: string }, sealed: Uint8Array) => unseal(platform.privateKey, of, sealed),
  };
  await giveDoors({ world, store });
  return made;
}

test("D1 a door opens what it is given, as that secret of that tenant alone, and nobody else opens it", async () => {
  const sealed = (await given([want("HOOK", "s3cret")])).get("HOOK") ?? assert.fail("nothing was given");
  const of = doorSealing({ tenant, name: "HOOK" }, door.id);
  assert.equal(unseal(door.privateKey, of, sealed), "s3cret");
  assert.throws(() => unseal(platform.privateKey, of, sealed));
  assert.throws(() => unseal(door.privateKey, doorSealing({ tenant, name: "HOOK" }, "another"), sealed));
  assert.throws(() => unseal(door.privateKey, doorSealing({ tenant, name: "OTHER" }, door.id), sealed));
  assert.throws(() => unseal(door.privateKey, { tenant, name: "HOOK" }, sealed));
});

test("D2 what was sealed for another, and a door whose key is none, keep no other waiting", async () => {
  const moved = want("MOVED", "x", { name: "HERE" });
  const odd = want("ODD", "x", { publicKey: "no key" });
  assert.deepEqual([...(await given([moved, odd, want("HOOK", "s3cret")])).keys()], ["HOOK"]);
});
