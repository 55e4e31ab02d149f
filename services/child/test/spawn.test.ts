import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { type Child, spawnChild, startProcess } from "../index.ts";
import { FrameFault } from "../strict.ts";

interface Said {
  readonly said: unknown;
}
const parse = (value: unknown): Said => {
  if (typeof value !== "object" || value === null || !("said" in value)) throw new FrameFault("It says nothing.");
  return value as Said;
};
const HEAD = `import { Socket } from "node:net";
const channel = new Socket({ fd: 3 });
const say = (frame) => { const text = Buffer.from(JSON.stringify(frame)); const head = Buffer.alloc(4); head.writeUInt32BE(text.length); channel.write(Buffer.concat([head, text])); };
`;

/** A child with this text, and how it ended. */
function started(text: string, heard: (said: unknown, child: () => Child<object>) => void) {
  const home = mkdtempSync(join(tmpdir(), "woml-child-"));
  const entry = join(home, "entry.mjs");
  writeFileSync(entry, HEAD + text);
  const ended = Promise.withResolvers<{ how: string; lastWords: string; faults: readonly string[] }>();
  const faults: string[] = [];
  const child: Child<object> = spawnChild<object, Said>(
    { flags: ["--no-warnings"], entry, args: ["one"], maxBytes: 1_000, parse },
    {
      frame: ({ said }) => heard(said, () => child),
      fault: (fault) => faults.push(fault.message),
      ended: (how, lastWords) => {
        rmSync(home, { recursive: true, force: true });
        ended.resolve({ how, lastWords, faults });
      },
    },
  );
  return ended.promise;
}

test("it speaks both ways, knows its arguments and no environment, and is killed when its channel closes", async () => {
  const heard: unknown[] = [];
  const text = `say({ said: [process.argv.slice(2), Object.keys(process.env), process.cwd()] });
    channel.on("data", (chunk) => { say({ said: JSON.parse(chunk.subarray(4).toString()) }); }); setInterval(() => {}, 1000);`;
  const { how, faults } = await started(text, (said, child) => {
    heard.push(said);
    if (heard.length === 1) child().wire.send({ hello: 1 });
    else child().wire.end();
  });
  assert.deepEqual(heard, [[["one"], [], "/"], { hello: 1 }]);
  assert.deepEqual([how, faults], ["SIGKILL", []]);
});

test("what no such child says is a fault, and its end", async () => {
  for (const wrong of ["say({ other: 1 })", "say('x'.repeat(1000))", "channel.write('not a frame at all')"]) {
    const { how, faults } = await started(`${wrong}; setInterval(() => {}, 1000);`, () => assert.fail("nothing of it counts"));
    assert.deepEqual([how, faults.length], ["SIGKILL", 1], wrong);
  }
});

test("its end says how, and the first of its last words", async () => {
  const exit = await started("process.stderr.write('y'.repeat(9000)); process.exitCode = 3; channel.unref();", () => undefined);
  assert.ok(exit.how === "exit 3" || exit.how === "SIGKILL", exit.how);
  assert.equal(exit.lastWords, "y".repeat(4_096));
});

test("a supervisor that ends before it is ready did not start", async (t) => {
  const home = mkdtempSync(join(tmpdir(), "woml-child-"));
  t.after(() => rmSync(home, { recursive: true, force: true }));
  const entry = join(home, "entry.mjs");
  writeFileSync(entry, "process.exit(7);");
  const options = { name: "test", entry, socket: join(home, "s"), args: [] };
  await assert.rejects(startProcess(options), /The test's supervisor did not start \(exit 7\)/);
  await assert.rejects(startProcess({ ...options, socket: `/tmp/${"x".repeat(120)}` }), /longer than 100 bytes/);
});
