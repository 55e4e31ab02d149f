import { type Doorbell, type Settings, unseal } from "@woml/boot";
import { appendFigures, type Engine, realWorld, startEngine, type World } from "@woml/engine";
import { openPluginHosts, type PluginHost } from "@woml/plugin-host";
import { type EngineStore, openEngineStore, openTriggerStore } from "@woml/prisma";
import { openSandboxes, type Sandbox } from "@woml/sandbox";
import { keep } from "../keep.ts";
import { openBell } from "./bell.ts";
import type { Around, RolePart } from "./part.ts";
import { sealFault } from "./seal.ts";
import { storeFault, Unmet, untilDone, untilMigrated } from "./wait.ts";

/** What it drives runs with; closed in this order, last opened first. */
interface Means {
  readonly store: EngineStore;
  readonly triggers: Awaited<ReturnType<typeof openTriggerStore>>;
  readonly doorbell: Doorbell;
  readonly sandbox: Sandbox;
  readonly plugins: PluginHost;
}

/** Drives runs, over the database of `woml_engine`. It dials sandboxes and plugin hosts; nobody dials it. */
export async function startPart(settings: Settings<"engine">, around: Around): Promise<RolePart> {
  const options = { setRole: settings.WOML_DATABASE_SET_ROLE, appended: appendFigures(around.telemetry) };
  const store = await untilDone("database", () => openEngineStore(settings.WOML_DATABASE_URL, around.log, options), around);
  try {
    await untilMigrated(store, around);
    await untilDone("the key of secrets", () => openable(store, settings), around);
    // A plugin host that has just started is told the time by whoever dials it, before any dispatch could come late.
    let engine: Engine | null = null;
    const means = await meansOf(store, settings, around, () => engine?.now() ?? null);
    return await drive(means, {
      settings,
      around,
      started: (one) => {
        engine = one;
      },
    });
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** A key that opens nothing that is stored would fail operations one by one: better met at the start. */
async function openable(store: EngineStore, settings: Settings<"engine">): Promise<void> {
  const fault = await sealFault(store, settings.WOML_SEAL_PRIVATE_KEY);
  if (fault !== null) throw new Unmet(fault);
}

async function meansOf(store: EngineStore, settings: Settings<"engine">, around: Around, now: () => number | null): Promise<Means> {
  const { log } = around;
  const release = (digest: string) => store.release(digest);
  return {
    store,
    triggers: await openTriggerStore(settings.WOML_DATABASE_URL, { setRole: settings.WOML_DATABASE_SET_ROLE }),
    doorbell: await openBell(settings, around),
    sandbox: openSandboxes({ addresses: settings.WOML_SANDBOXES, secrets: settings.WOML_SANDBOX_LINE_SECRET }),
    plugins: openPluginHosts({
      ...{ addresses: settings.WOML_PLUGIN_HOSTS, secrets: settings.WOML_PLUGIN_HOST_LINE_SECRET },
      ...{ log, release, now },
    }),
  };
}

interface Driving {
  readonly settings: Settings<"engine">;
  readonly around: Around;
  /** Told of each engine that drives from here. */
  readonly started: (engine: Engine) => void;
}

async function drive(means: Means, { settings, around, started }: Driving): Promise<RolePart> {
  const { log, telemetry } = around;
  const { WOML_LEASE_MS: leaseMs, WOML_CLOCK_BOUND_MS: clockBoundMs, WOML_DRIVEN_MAX: drivenMax, WOML_GRACE_MS: graceMs } = settings;
  const world: World = {
    ...realWorld,
    ...means,
    ...{ log, telemetry },
    unseal: (of, sealed) => unseal(settings.WOML_SEAL_PRIVATE_KEY, of, sealed),
  };
  const start = async () => part(await startEngine(world, { leaseMs, clockBoundMs, drivenMax, graceMs }));
  const known = ({ engine }: { readonly engine: Engine }): void => started(engine);
  const kept = await untilDone("lease", () => keep({ name: "engine", start, log, started: known }), around);
  const ofStore = storeFault(means.store);
  return {
    listen: null,
    fault: async () => (await ofStore()) ?? kept.current().engine.fault(),
    stop: async () => {
      await kept.stop();
      await Promise.all([means.doorbell.close(), means.sandbox.close(), means.plugins.close()]);
      await Promise.all([means.store.close(), means.triggers.close()]);
    },
  };
}

/** One that lost its lease dispatches nothing any more; another takes over, under an id of its own. */
function part(engine: Engine): { readonly engine: Engine; readonly exited: Promise<unknown>; stop(): Promise<void> } {
  return { engine, exited: engine.ended, stop: () => engine.stop() };
}
