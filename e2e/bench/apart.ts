import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { type Doorbell, SHARED } from "@woml/boot";
import type { RunId, TenantId } from "@woml/run";
import type { FromControl, ToControl } from "./control-talk.ts";

/** Control in a process of its own. */
export interface Apart {
  /** Resolves when all of them are stored, with their names. */
  ask(wanted: Omit<ToControl, "ask" | "tenant"> & { readonly tenant: TenantId }): Promise<readonly RunId[]>;
  stop(): Promise<void>;
}

/** `url`: control's, to the database. It is ready when it has answered once. */
export function openApart(url: string, doorbell: Doorbell): Apart {
  const child = fork(join(import.meta.dirname, "control.ts"), [url], { execArgv: ["--disable-warning=ExperimentalWarning"] });
  const asked = new Map<number, PromiseWithResolvers<readonly RunId[]>>();
  child.on("message", (word: FromControl) => {
    if (word.said === "ring") doorbell.ring(SHARED);
    else if (word.said === "asked") asked.get(word.ask)?.resolve(word.runs);
    else asked.get(word.ask)?.reject(new Error(word.reason));
  });
  child.on("exit", () => {
    for (const { reject } of asked.values()) reject(new Error("control has ended"));
  });
  let count = 0;
  return {
    ask: (wanted) => {
      const ask = count++;
      const waiting = Promise.withResolvers<readonly RunId[]>();
      asked.set(ask, waiting);
      child.send({ ask, ...wanted } satisfies ToControl);
      return waiting.promise.finally(() => asked.delete(ask));
    },
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const gone = once(child, "exit");
      child.kill();
      await gone;
    },
  };
}
