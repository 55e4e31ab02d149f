// An engine in a process of its own, so that it alone can be killed: `engine.ts SETTINGS`. It waits for a word of its parent before it opens
// anything; one that lost its lease is followed by another in the same process, as on the platform. It tells its parent what it hears.
import { memoryDoorbell, noTelemetry, openLog, SHARED } from "@woml/boot";
import { realWorld, startEngine } from "@woml/engine";
import { openPluginHost, type PluginHost } from "@woml/plugin-host";
import { openEngineStore } from "@woml/prisma";
import { openDoor, type Sandbox } from "@woml/sandbox";
import type { EngineSettings, FromEngine, ToEngine } from "./engine-talk.ts";

const settings: EngineSettings = JSON.parse(process.argv[2] ?? "{}");
const tell = (word: FromEngine): void => void process.send?.(word);
const doorbell = memoryDoorbell();

/** The case that a text speaks of. */
const caseIn = (text: string): string => /"case":"([^"]+)"/.exec(text)?.[1] ?? "";

/** Both doors with somebody who listens: what is heard has been heard, wherever the engine is with it. */
function overheardSandbox(sandbox: Sandbox): Sandbox {
  const invoke: Sandbox["invoke"] = (invocation, listener) => {
    tell({ told: "invoked", of: caseIn(invocation.context) });
    const call = listener?.call;
    if (listener === undefined || call === undefined) return sandbox.invoke(invocation, listener);
    const overheard: typeof call = (asked) => {
      call(asked);
      tell({ told: "called", of: caseIn(invocation.context) });
    };
    return sandbox.invoke(invocation, { ...listener, call: overheard });
  };
  return {
    invoke,
    answer: sandbox.answer.bind(sandbox),
    cancel: sandbox.cancel.bind(sandbox),
    layers: sandbox.layers,
    close: () => sandbox.close(),
  };
}

function overheardHost(host: PluginHost): PluginHost {
  return {
    choose: host.choose.bind(host),
    perform: async (dispatch) => {
      tell({ told: "dispatched", of: caseIn(dispatch.input) });
      const performed = await host.perform(dispatch);
      tell({ told: "answered", of: caseIn(dispatch.input) });
      return performed;
    },
    attach: (ask) => host.attach(ask),
    reattach: (dispatch) => host.reattach(dispatch),
    cancel: (named) => host.cancel(named),
    close: () => host.close(),
  };
}

async function open(): Promise<void> {
  const store = await openEngineStore(settings.storeUrl);
  const sandbox = overheardSandbox(await openDoor(settings.sandbox));
  const plugins = overheardHost(await openPluginHost(settings.plugins, { release: (digest) => store.release(digest) }));
  const unseal = (): never => {
    throw new Error("there are no secrets here");
  };
  const world = {
    ...realWorld,
    store,
    sandbox,
    plugins,
    doorbell,
    unseal,
    log: openLog("engine", settings.logLevel),
    telemetry: noTelemetry,
  };
  for (;;) {
    const engine = await startEngine(world, settings.options).catch(() => null);
    if (engine === null) await new Promise((resolve) => setTimeout(resolve, 50));
    else {
      tell({ told: "ready", engine: engine.id });
      await engine.ended;
      tell({ told: "ended", engine: engine.id });
    }
  }
}

process.on("message", (word: ToEngine) => {
  if (word.say === "open") void open();
  else doorbell.ring(SHARED);
});
process.once("disconnect", () => process.exit());
tell({ told: "here" });
