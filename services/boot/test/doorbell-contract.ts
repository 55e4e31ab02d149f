import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { type Doorbell, SHARED } from "../index.ts";

/** Counts what it hears. */
export class Ear {
  heard = 0;
  readonly hear = (): void => {
    this.heard += 1;
  };
}

/** Waits until it is so, and fails after a while. */
export async function until(what: string, isSo: () => boolean | Promise<boolean>, mostMs = 5_000): Promise<void> {
  const end = performance.now() + mostMs;
  while (!(await isSo())) {
    assert.ok(performance.now() < end, `not within ${mostMs} ms: ${what}`);
    await sleep(10);
  }
}

export interface Given {
  /** Another process's bell, or the same one where there is but one process. */
  readonly bell: () => Doorbell;
}

/** What every doorbell does, whatever rings it. `open` is called once for each test. */
export function doorbellContract(name: string, { open, skip = false }: { open: () => Promise<Given>; skip?: string | false }): void {
  const given = async (): Promise<{ ringing: Doorbell; bell: () => Doorbell }> => {
    const { bell } = await open();
    const ringing = bell();
    await until("the bell is there", () => ringing.fault() === null);
    return { ringing, bell };
  };
  describe(`doorbell: ${name}`, { skip }, () => {
    it("what is rung once is heard", async () => {
      const { ringing, bell } = await given();
      const ear = new Ear();
      bell().listen(SHARED, ear.hear);
      ringing.ring(SHARED);
      await until("heard", () => ear.heard > 0);
    });

    it("what was rung before anybody listened is heard, or lost: it rings no less afterwards", async () => {
      const { ringing, bell } = await given();
      ringing.ring(SHARED);
      await sleep(50);
      const ear = new Ear();
      bell().listen(SHARED, ear.hear);
      await sleep(50);
      const before = ear.heard;
      ringing.ring(SHARED);
      await until("heard again", () => ear.heard > before);
    });

    it("a thousand rings are heard at least once, and no more often than they were rung", async () => {
      const { ringing, bell } = await given();
      const ear = new Ear();
      bell().listen(SHARED, ear.hear);
      for (let n = 0; n < 1_000; n++) ringing.ring(SHARED);
      await until("heard", () => ear.heard > 0);
      await sleep(200);
      assert.ok(ear.heard <= 10, `heard ${ear.heard} times`);
    });

    it("each ring after the last was heard is heard in turn: none is swallowed", async () => {
      const { ringing, bell } = await given();
      const ear = new Ear();
      bell().listen(SHARED, ear.hear);
      for (let n = 0; n < 50; n++) {
        const before = ear.heard;
        ringing.ring(SHARED);
        await until(`ring ${n}`, () => ear.heard > before, 1_000);
      }
    });

    it("a queue is rung for itself: nobody else hears it", async () => {
      const { ringing, bell } = await given();
      const [mine, other] = [randomUUID(), randomUUID()];
      const [ear, deaf] = [new Ear(), new Ear()];
      const listening = bell();
      listening.listen(mine, ear.hear);
      listening.listen(other, deaf.hear);
      await sleep(100);
      const before = [ear.heard, deaf.heard];
      ringing.ring(mine);
      await until("heard", () => ear.heard > Number(before[0]));
      await sleep(50);
      assert.equal(deaf.heard, before[1]);
    });

    it("one of several listeners hears at least, and none after it stopped listening", async () => {
      const { ringing, bell } = await given();
      const ears = [new Ear(), new Ear(), new Ear()];
      const stops = ears.map(({ hear }) => bell().listen(SHARED, hear));
      ringing.ring(SHARED);
      await until("heard", () => ears.some(({ heard }) => heard > 0));
      for (const stop of [...stops, ...stops]) stop();
      await sleep(50);
      const before = ears.map(({ heard }) => heard);
      ringing.ring(SHARED);
      await sleep(100);
      assert.deepEqual(
        ears.map(({ heard }) => heard),
        before,
      );
      const late = new Ear();
      bell().listen(SHARED, late.hear);
      ringing.ring(SHARED);
      await until("heard by who listens now", () => late.heard > 0);
    });

    it("one who stops does not silence another of the same process", async () => {
      const { ringing, bell } = await given();
      const listening = bell();
      const [one, two] = [new Ear(), new Ear()];
      listening.listen(SHARED, one.hear)();
      const stop = listening.listen(SHARED, one.hear);
      listening.listen(SHARED, two.hear);
      stop();
      ringing.ring(SHARED);
      await until("heard", () => two.heard > 0);
      assert.equal(one.heard, 0);
    });

    it("a queue that is forgotten can be listened to again", async () => {
      const { ringing, bell } = await given();
      const queue = randomUUID();
      ringing.ring(queue);
      await sleep(20);
      ringing.forget(queue);
      ringing.forget(queue);
      await sleep(50);
      const ear = new Ear();
      bell().listen(queue, ear.hear);
      ringing.ring(queue);
      await until("heard", () => ear.heard > 0);
    });

    it("closed, it rings nobody and throws at nobody", async () => {
      const { ringing } = await given();
      const ear = new Ear();
      const stop = ringing.listen(SHARED, ear.hear);
      await Promise.all([ringing.close(), ringing.close()]);
      ringing.ring(SHARED);
      ringing.forget(SHARED);
      stop();
      await sleep(50);
      assert.equal(ear.heard, 0);
    });
  });
}
