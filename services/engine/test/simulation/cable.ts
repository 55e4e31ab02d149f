import type { Process } from "./process.ts";
import type { Site } from "./site.ts";

const BEAT_MS = 1_000;

/** One line between an engine's process and one of several plugin hosts. Its end here learns late that it is broken, or whole again. */
export class Cable {
  readonly site: Site;
  isOpen = false;
  readonly #process: Process;
  readonly #breaking = new Set<() => void>();
  /** Counts what an engine takes for one line after another. */
  #lives = 0;
  #stopLook = (): void => undefined;

  constructor(process: Process, site: Site) {
    this.#process = process;
    this.site = site;
    site.watchers.add(() => this.#look());
    process.time.after(process.chance.between(0, 50), () => this.#look());
    this.#beat();
  }
  get #isWhole(): boolean {
    return !this.site.isDown && !this.site.cut.has(this.#process.slot);
  }

  /** Nothing travels on it for so long; the host goes on. */
  cut(ms: number): void {
    const { slot, time } = this.#process;
    if (!this.#isWhole) return;
    this.site.cut.add(slot);
    this.site.changed();
    time.after(ms, () => {
      this.site.cut.delete(slot);
      this.site.changed();
    });
  }

  /** Travels there; whether it has arrived nobody says. `lateMs`: so long after the line broke under it, it comes in all the same. */
  send(arrive: () => void, lateMs: number | null = null): void {
    const { time, tally } = this.#process;
    const late = (): void => {
      if (this.site.isDown) return;
      tally.hit("a frame came in after its line had broken");
      arrive();
    };
    this.#travel(arrive, () => void (lateMs !== null && time.after(lateMs, late)));
  }

  /** There and back, unless the line breaks meanwhile. */
  ask<T>(effect: () => Promise<T>, lateMs: number | null = null): Promise<T | "broken"> {
    const { promise, resolve } = Promise.withResolvers<T | "broken">();
    const broken = (): void => resolve("broken");
    this.#breaking.add(broken);
    const answer = async (): Promise<void> => {
      const said = await effect();
      if (this.#breaking.has(broken)) this.#travel(() => resolve(said));
    };
    this.send(() => void answer(), lateMs);
    return promise.finally(() => this.#breaking.delete(broken));
  }

  /** While nobody has seen that it is broken, what is under way waits for it to be whole. */
  #travel(arrive: () => void, lost = (): void => undefined, life = this.#lives): void {
    const { time, chance } = this.#process;
    time.after(chance.between(0, 3), () => {
      if (life !== this.#lives || this.site.isDown) lost();
      else if (this.#isWhole) arrive();
      else time.after(50, () => this.#travel(arrive, lost, life));
    });
  }

  /** What is true of it is seen after a while. */
  #look(): void {
    const { time, chance, isDead } = this.#process;
    this.#stopLook();
    if (isDead || this.isOpen === this.#isWhole) return;
    this.#stopLook = time.after(chance.pick([0, chance.between(0, 1_000), chance.between(0, 5_000)]), () => {
      this.isOpen = this.#isWhole;
      if (this.isOpen) this.#tell();
      else this.#break();
    });
  }
  #break(): void {
    this.#lives += 1;
    const all = [...this.#breaking];
    this.#breaking.clear();
    for (const broken of all) broken();
  }
  /** With its hello, and each second, an engine says what time it is. */
  #tell(): void {
    this.#process.deliver(() => {
      const at = this.#process.clock();
      this.send(() => this.site.hear(at));
    });
  }
  #beat(): void {
    if (this.#process.isDead || this.site.isDown) return;
    if (this.isOpen) this.#tell();
    this.#process.time.after(BEAT_MS, () => this.#beat());
  }
}
