import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { type Fleet, nameOf, openFleet } from "../index.ts";

interface One {
  readonly name: string;
  isOpen: boolean;
  isClosed: boolean;
  close(): void;
}
interface Stage {
  readonly fleet: Fleet<One>;
  /** Every member that was ever made. */
  readonly made: readonly One[];
  readonly names: () => readonly string[];
  /** Two seconds pass, and whatever was asked is answered. */
  readonly pass: () => Promise<void>;
}
type Answers = Record<string, readonly string[] | "fails" | "hangs">;

async function open(
  t: TestContext,
  answers: Answers,
  hosts: readonly string[] = ["sandbox"],
): Promise<Stage & { readonly asked: string[] }> {
  t.mock.timers.enable({ apis: ["setInterval"] });
  const made: One[] = [];
  const asked: string[] = [];
  const fleet = openFleet<One>({
    addresses: hosts.map((host) => ({ host, port: 7331 })),
    open: (at) => {
      const one: One = { name: nameOf(at), isOpen: true, isClosed: false, close: () => void Object.assign(one, { isClosed: true }) };
      made.push(one);
      return one;
    },
    lookup: async (host) => {
      asked.push(host);
      const answer = answers[host] ?? "fails";
      if (answer === "fails") throw new Error("ENOTFOUND");
      return answer === "hangs" ? new Promise(() => undefined) : answer;
    },
  });
  t.after(() => fleet.close());
  const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  await settle();
  const pass = async (): Promise<void> => {
    t.mock.timers.tick(2_000);
    await settle();
  };
  return { fleet, made, asked, names: () => fleet.members.map(({ name }) => name), pass };
}

test("every address that a name stands for is a member, once", async (t) => {
  const { names, pass } = await open(t, { sandbox: ["10.0.0.1", "10.0.0.2", "fd00::1"], other: ["10.0.0.2"] }, ["sandbox", "other"]);
  const wanted = ["10.0.0.1:7331", "10.0.0.2:7331", "[fd00::1]:7331"];
  assert.deepEqual(names(), wanted);
  await pass();
  assert.deepEqual(names(), wanted);
});

test("an address that is gone from its name is closed when it is not open any more, a new one is there at the next look", async (t) => {
  const answers: Answers = { sandbox: ["10.0.0.1", "10.0.0.2"] };
  const { made, names, pass } = await open(t, answers);
  answers["sandbox"] = ["10.0.0.2", "10.0.0.3"];
  await pass();
  assert.deepEqual(names(), ["10.0.0.1:7331", "10.0.0.2:7331", "10.0.0.3:7331"]);
  Object.assign(made[0] ?? {}, { isOpen: false });
  Object.assign(made[1] ?? {}, { isOpen: false });
  await pass();
  assert.deepEqual(names(), ["10.0.0.2:7331", "10.0.0.3:7331"]);
  assert.deepEqual(
    made.map(({ isClosed }) => isClosed),
    [true, false, false],
  );
});

test("a name that stands for nothing, fails or hangs changes nothing, and one that hangs is not asked again", async (t) => {
  const answers: Answers = { sandbox: ["10.0.0.1"], other: "hangs" };
  const { made, names, asked, pass } = await open(t, answers, ["sandbox", "other"]);
  Object.assign(made[0] ?? {}, { isOpen: false });
  for (const answer of ["fails", []] as const) {
    answers["sandbox"] = answer;
    await pass();
    assert.deepEqual(names(), ["10.0.0.1:7331"]);
  }
  assert.equal(asked.filter((host) => host === "other").length, 1);
});

test("an address is a member at once and is never asked for; a closed fleet has none and takes none", async (t) => {
  const answers: Answers = { sandbox: ["10.0.0.9"] };
  const { fleet, made, asked, pass } = await open(t, answers, ["127.0.0.1", "::1", "sandbox"]);
  assert.deepEqual(
    made.map(({ name }) => name),
    ["127.0.0.1:7331", "[::1]:7331", "10.0.0.9:7331"],
  );
  fleet.close();
  answers["sandbox"] = ["10.0.0.10"];
  await pass();
  assert.deepEqual([fleet.members, made.length, asked], [[], 3, ["sandbox"]]);
  assert.ok(made.every(({ isClosed }) => isClosed));
});

test("a name that stands for a thousand addresses has 256 members", async (t) => {
  const many = Array.from({ length: 1_000 }, (_, n) => `10.0.${n >> 8}.${n & 255}`);
  assert.equal((await open(t, { sandbox: many })).fleet.members.length, 256);
});
