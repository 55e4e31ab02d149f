import assert from "node:assert/strict";
import { Duplex } from "node:stream";
import { test } from "node:test";
import { openWireAt } from "../index.ts";

const PLACE = { host: "127.0.0.1", port: 1, secrets: ["s".repeat(32)] };
const BEAT: Buffer = Buffer.alloc(4);

for (const takes of [true, false])
  test(`one that beats and ${takes ? "reads is kept" : "reads nothing is cut off after half a minute"}`, async (t) => {
    t.mock.timers.enable({ apis: ["setInterval"] });
    const stream = new Duplex({ read: () => undefined, write: (_chunk, _encoding, taken) => void (takes && taken()) });
    let closed = 0;
    const wire = openWireAt<{ readonly frame: string }, unknown>(PLACE, stream, {
      ...{ maxBytes: 1_000, parse: (value: unknown) => value, heard: () => undefined },
      closed: () => void closed++,
    });
    const lives = async (seconds: number): Promise<void> => {
      for (let n = 0; n < seconds && closed === 0; n++) {
        stream.push(BEAT);
        await new Promise((resolve) => setImmediate(resolve));
        t.mock.timers.tick(1_000);
      }
    };
    wire.send({ frame: "x" });
    await lives(29);
    assert.equal(closed, 0);
    await lives(10);
    assert.equal(closed, takes ? 0 : 1);
    // Its timer is one of this test's clock, and has to be taken off while that is there.
    wire.end();
    await new Promise((resolve) => setImmediate(resolve));
  });
