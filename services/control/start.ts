import { setTimeout as sleep } from "node:timers/promises";
import { openApp } from "./app.ts";
import { ControlRefusal } from "./errors.ts";
import { openDoorSecrets } from "./hook-key.ts";
import type { Control, ControlOptions } from "./index.ts";
import { originOf } from "./public-url.ts";

/** How long requests may take to end once control stops, unless it is said. */
const GRACE_MS = 5_000;

/** Listens when it resolves. Rejects with WOML_PORT_TAKEN when another program has the port. */
export async function startControl(options: ControlOptions): Promise<Control> {
  const secrets = openDoorSecrets(options.store, options.log);
  const { app, fault } = await openApp(options, secrets);
  const { host, port } = options;
  try {
    await app.listen({ host, port });
  } catch (error) {
    await Promise.all([app.close(), secrets.close()]);
    if (error instanceof Error && "code" in error && error.code === "EADDRINUSE") {
      throw new ControlRefusal("WOML_PORT_TAKEN", `port ${port} on ${host} is taken by another program: stop it, or choose another port`);
    }
    throw error;
  }
  let stopped: Promise<void> | null = null;
  const stop = async (graceMs: number): Promise<void> => {
    const late = new AbortController();
    sleep(graceMs, undefined, { signal: late.signal, ref: false }).then(
      () => app.server.closeAllConnections(),
      () => {},
    );
    await app.close();
    await secrets.close();
    late.abort();
  };
  return {
    url: `${originOf(options, app.server)}/graphql`,
    fault,
    stop: (graceMs = GRACE_MS) => {
      stopped ??= stop(graceMs);
      return stopped;
    },
  };
}
