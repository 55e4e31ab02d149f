import type { Dispatch, Fence, Named, Performed, PluginHost } from "@woml/plugin-host";
import { ambiguous, refused } from "../plugin-double.ts";
import type { Market } from "./market.ts";
import type { Fate, Process } from "./process.ts";
import { traitsOf } from "./provider.ts";

const AGAIN_MS = 50;
const STALLED_MS = 18_000;

/** The plugin host at the other end of a process's connection, which breaks; the door's rules are those of `PluginHost`. */
export function distantHost(process: Process, market: Market): PluginHost {
  const { time, chance, tally } = process;
  const [site] = market.sites;
  if (site === undefined) throw new Error("there is no host");
  const travels = (arrive: () => void): void => void time.after(chance.between(0, 3), arrive);
  const home = (arrive: () => void): void => travels(() => process.deliver(arrive));

  /** Until a host has answered. */
  const attach = async (ask: Fence & Named): Promise<Performed | null> => {
    while (site.isDown) await time.sleep(AGAIN_MS);
    site.hear(ask.now);
    return site.host.attach(ask);
  };
  /** What the next host says of a dispatch under which the connection broke. */
  const afterLoss = async (dispatch: Dispatch): Promise<Performed> => {
    tally.hit(`${dispatch.effect}: connection lost`);
    if (dispatch.effect === "pure") return refused("unavailable");
    const known = await attach(dispatch);
    return known === null || known.status === "refused" ? ambiguous : known;
  };
  const perform = async (dispatch: Dispatch, fate: Fate, born: number): Promise<Performed> => {
    // A broken connection takes with it what was on its way.
    if (fate === "not done" || market.incarnation !== born || isTooOld(dispatch, process.clock())) return afterLoss(dispatch);
    site.hear(dispatch.now);
    const performed = site.host.perform(dispatch);
    if (fate === "died after") {
      tally.hit(`${dispatch.effect}: engine died`);
      process.kill();
    }
    if (fate !== "answer lost") return performed;
    const breaks = time.sleep(chance.between(0, 300)).then(() => afterLoss(dispatch));
    return Promise.race([performed.then((said) => (said.status === "refused" ? breaks : said)), breaks]);
  };
  return {
    choose: () => undefined,
    perform: (dispatch) => {
      const { promise, resolve } = Promise.withResolvers<Performed>();
      const fate = process.fate("perform");
      if (fate === "died before") {
        tally.hit(`${dispatch.effect}: engine died`);
        process.kill();
        return promise;
      }
      if (site.isDown) return Promise.resolve(refused("unavailable"));
      const born = market.incarnation;
      const send = (): void => {
        travels(
          () =>
            void perform(dispatch, fate, born).then((said) => {
              if (said.status === "refused") tally.hit(`refused: ${said.reason}`);
              home(() => resolve(said));
            }),
        );
      };
      // Between the look at its lease and the frame that leaves.
      if (chance.hit(process.odds.lag)) {
        tally.hit("stalled before a dispatch left");
        process.pause(STALLED_MS);
      }
      process.deliver(send);
      return promise;
    },
    attach: (ask) => {
      const look = async (): Promise<Performed | null> => {
        for (;;) {
          const answer = await process.call("attach", () => attach(ask)).catch(() => undefined);
          if (answer !== undefined) return answer;
        }
      };
      return look();
    },
    reattach: (dispatch) => {
      if (site.isDown) return Promise.resolve(refused("unavailable"));
      const ask = async () => {
        site.hear(dispatch.now);
        return site.host.reattach(dispatch);
      };
      return process.call("reattach", ask, refused("unavailable"));
    },
    cancel: (named) => travels(() => site.host.cancel(named)),
    close: async () => undefined,
  };
}

/**
 * Between the look at the window and the host nobody stands still for a tenth of it, which is minutes at the least: the window that is made so
 * short here would be over by then.
 */
function isTooOld(dispatch: Dispatch, at: number): boolean {
  const { keyMs } = traitsOf(dispatch);
  return keyMs > 0 && at - dispatch.now > keyMs / 10;
}
