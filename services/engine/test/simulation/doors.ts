import type { At, Dispatch, Fence, Gone, Named, OutOfReach, Performed, PluginHost } from "@woml/plugin-host";
import { ambiguous, refused } from "../plugin-double.ts";
import { Cable } from "./cable.ts";
import type { Market } from "./market.ts";
import type { Process } from "./process.ts";

/** How long the door waits for a host under whose dispatch the line broke. */
const BACK_MS = 5_000;
const STALLED_MS = 18_000;
const GONE: Gone = { status: "gone" };
const OUT: OutOfReach = { status: "out_of_reach" };

type Asked = Dispatch & At;
type Answer = Performed | Gone | OutOfReach;

/** Several plugin hosts at the other ends of a process's lines, each of which breaks; the door's rules are those of `PluginHost`. */
export class DistantHosts implements PluginHost {
  readonly #process: Process;
  readonly #cables = new Map<string, Cable>();
  /** Dispatches of which was said that their host is not there. */
  readonly #missed = new Set<string>();

  constructor(process: Process, market: Market) {
    this.#process = process;
    for (const site of market.sites) this.#cables.set(site.id ?? "", new Cable(process, site));
    market.opened.add((site) => {
      if (!process.isDead) this.#cables.set(site.id ?? "", new Cable(process, site));
    });
  }

  choose(): string | null {
    const [first, ...rest] = this.#open.filter(({ site }) => !site.isDraining);
    return first === undefined ? null : this.#process.chance.pick([first, ...rest]).site.id;
  }

  perform(dispatch: Asked): Promise<Answer> {
    const { promise, resolve } = Promise.withResolvers<Answer>();
    const { chance, tally } = this.#process;
    const cable = this.#cables.get(dispatch.host ?? "");
    if (dispatch.host === "") throw new Error("a dispatch to no host at all");
    if (cable === undefined || !cable.isOpen) return Promise.resolve(GONE);
    if (cable.site.isDraining) return Promise.resolve(chance.pick([GONE, refused("unavailable")]));
    const fate = this.#process.fate("perform");
    if (fate === "died before" || fate === "died after") tally.hit(`${dispatch.effect}: engine died`);
    if (fate === "died before") {
      this.#process.kill();
      return promise;
    }
    const sinks = chance.hit(this.#process.odds.sink);
    const lateMs = sinks ? chance.between(9_000, 14_800) : chance.pick([null, chance.between(1, 3_000)]);
    const send = (): void => {
      void this.#performed(cable, dispatch, lateMs).then((said) => {
        if (said.status === "refused") tally.hit(`refused: ${said.reason}`);
        if (said.status === "out_of_reach") this.#miss(dispatch);
        this.#process.deliver(() => resolve(said));
      });
      if (fate === "died after") this.#process.time.after(4, () => this.#process.kill());
      if (sinks) cable.cut(30_000);
      else if (fate === "not done") cable.cut(chance.pick([200, 2_000, 9_000, 30_000]));
      if (fate === "answer lost")
        this.#process.time.after(chance.between(4, 300), () => cable.cut(chance.pick([200, 2_000, 9_000, 30_000])));
    };
    // Between the look at its lease and the frame that leaves.
    if (chance.hit(this.#process.odds.lag)) {
      tally.hit("stalled before a dispatch left");
      this.#process.pause(STALLED_MS);
    }
    this.#process.deliver(send);
    return promise;
  }

  async attach(ask: Fence & Named & At): Promise<Performed | Gone | null> {
    for (;;) {
      const look = (): Promise<Performed | Gone | null> => this.#attached(this.#cables.get(ask.host ?? ""), ask);
      const known = await this.#process.call("attach", look).catch(() => undefined);
      if (known === undefined) continue;
      if (known?.status === "gone") this.#miss(ask);
      else if (this.#missed.has(nameOf(ask)) && known !== null) this.#process.tally.hit("out of reach, then answered");
      return known;
    }
  }

  async reattach(dispatch: Dispatch): ReturnType<PluginHost["reattach"]> {
    const [first, ...rest] = this.#open;
    if (first === undefined) return refused("unavailable");
    const { site } = this.#process.chance.pick([first, ...rest]);
    const ask = async () => {
      if (site.isDown || site.cut.has(this.#process.slot)) return refused("unavailable");
      site.hear(dispatch.now);
      return site.host.reattach(dispatch);
    };
    return this.#process.call("reattach", ask, refused("unavailable"));
  }

  cancel(named: Named & At): void {
    const cable = this.#cables.get(named.host ?? "");
    cable?.send(() => cable.site.host.cancel(named));
  }

  async close(): Promise<void> {}

  get #open(): readonly Cable[] {
    return [...this.#cables.values()].filter(({ isOpen }) => isOpen);
  }

  #miss(of: Named): void {
    this.#missed.add(nameOf(of));
  }

  /** Handed over: what comes of it, or of the line that broke under it. */
  async #performed(cable: Cable, dispatch: Asked, lateMs: number | null): Promise<Answer> {
    const said = await cable.ask(() => {
      cable.site.hear(dispatch.now);
      return cable.site.host.perform(dispatch);
    }, lateMs);
    return said === "broken" ? this.#afterLoss(cable, dispatch) : said;
  }

  async #afterLoss(cable: Cable, dispatch: Asked): Promise<Answer> {
    const { tally, time } = this.#process;
    tally.hit(`${dispatch.effect}: connection lost`);
    if (dispatch.effect === "pure") return refused("unavailable");
    const until = time.now + BACK_MS;
    while (time.now < until) {
      if (!cable.isOpen) await time.sleep(50);
      else {
        const known = await this.#attached(cable, dispatch);
        if (known?.status === "gone") continue;
        return known === null || known.status === "refused" ? ambiguous : known;
      }
    }
    return OUT;
  }

  async #attached(cable: Cable | undefined, ask: Fence & Named): Promise<Performed | Gone | null> {
    if (cable === undefined || !cable.isOpen) return GONE;
    const said = await cable.ask(() => {
      cable.site.hear(ask.now);
      return cable.site.host.attach(ask);
    });
    return said === "broken" ? GONE : said;
  }
}

function nameOf({ run, attempt, key, try: number }: Named): string {
  return [run, attempt, key, number].join(" ");
}
