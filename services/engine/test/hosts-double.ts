import type { At, Dispatch, Gone, OutOfReach, Performed, PluginHost } from "@woml/plugin-host";
import { ambiguous, type HostDouble, hostDouble, refused } from "./plugin-double.ts";
import type { Time } from "./simulation/time.ts";

const BACK_MS = 5_000;
const GONE: Gone = { status: "gone" };

interface Place {
  readonly host: HostDouble;
  isThere: boolean;
  /** Its process has ended. */
  isDead: boolean;
  /** Called when the line to it breaks. */
  readonly breaking: Set<() => void>;
}

/** Several plugin hosts behind one door, which keeps the rules of `PluginHost`. The first that is there is chosen. */
export class Hosts implements PluginHost {
  readonly #time: Pick<Time, "now" | "sleep">;
  readonly #clock: () => number;
  readonly #places = new Map<string, Place>();
  /** What the plugin of each does. */
  act: (dispatch: Dispatch, host: string) => Promise<Performed> = async () => ({ status: "succeeded", result: "null", evidence: "" });
  find: HostDouble["find"] = async () => ({ status: "not_found" });
  /** The chosen one ends just after it was chosen. */
  isFickle = false;
  readonly cancelled: (string | undefined)[] = [];

  constructor(time: Pick<Time, "now" | "sleep">, clock: () => number) {
    this.#time = time;
    this.#clock = clock;
  }
  open(id: string): HostDouble {
    const host = hostDouble(this.#clock);
    host.act = (dispatch) => this.act(dispatch, id);
    host.find = (dispatch) => this.find(dispatch);
    this.#places.set(id, { host, isThere: true, isDead: false, breaking: new Set() });
    return host;
  }
  /** Cut off: it goes on with what it has. */
  cut(id: string): void {
    const place = this.#at(id);
    place.isThere = false;
    for (const broken of place.breaking) broken();
    place.breaking.clear();
  }
  back(id: string): void {
    const place = this.#at(id);
    place.isThere = !place.isDead;
  }
  end(id: string): void {
    const place = this.#at(id);
    place.isDead = true;
    place.host.restart();
    this.cut(id);
  }

  choose(): string | null {
    const [chosen] = [...this.#places].find(([, { isThere }]) => isThere) ?? [null];
    if (chosen !== null && this.isFickle) this.end(chosen);
    return chosen;
  }
  async perform(dispatch: Dispatch & At): Promise<Performed | Gone | OutOfReach> {
    const place = this.#at(dispatch.host);
    if (!place.isThere) return GONE;
    const said = await this.#over(place, place.host.perform(dispatch));
    if (said !== "broken") return said;
    if (dispatch.effect === "pure") return refused("unavailable");
    for (const until = this.#time.now + BACK_MS; this.#time.now < until; await this.#time.sleep(50)) {
      const known = place.isThere ? await this.#over(place, place.host.attach(dispatch)) : "broken";
      if (known !== "broken") return known === null || known.status === "refused" ? ambiguous : known;
    }
    return { status: "out_of_reach" };
  }
  async attach(ask: Parameters<PluginHost["attach"]>[0]): Promise<Performed | Gone | null> {
    const place = this.#at(ask.host);
    if (!place.isThere) return GONE;
    const said = await this.#over(place, place.host.attach(ask));
    return said === "broken" ? GONE : said;
  }
  async reattach(dispatch: Dispatch): ReturnType<PluginHost["reattach"]> {
    const there = [...this.#places.values()].find(({ isThere }) => isThere);
    return there === undefined ? refused("unavailable") : there.host.reattach(dispatch);
  }
  cancel(ask: Parameters<PluginHost["cancel"]>[0]): void {
    this.cancelled.push(ask.host);
  }
  async close(): Promise<void> {}

  #at(id = ""): Place {
    const place = this.#places.get(id);
    if (place === undefined) throw new Error(`nobody knows a host ${JSON.stringify(id)}`);
    return place;
  }
  #over<T>(place: Place, answer: Promise<T>): Promise<T | "broken"> {
    const { promise, resolve } = Promise.withResolvers<"broken">();
    place.breaking.add(() => resolve("broken"));
    return Promise.race([answer, promise]);
  }
}
