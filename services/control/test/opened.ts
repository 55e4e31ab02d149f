// Control over a real PostgreSQL, and an engine that is played by hand: it admits and appends what a test says.
import { after } from "node:test";
import { type Doorbell, makeSealKeys, memoryDoorbell, noTelemetry, openLog, type SealKeys } from "@woml/boot";
import { openShared } from "@woml/platform/testing";
import { type ControlStore, type EngineStore, openControlStore, openEngineStore } from "@woml/prisma";
import { asTenantId } from "@woml/run";
import { mintKey, startControl } from "../index.ts";
import { Player } from "./played.ts";
import { ask, type Reply } from "./stub.ts";

export interface Tenant {
  /** Of the control that it asks. */
  readonly url: string;
  readonly id: string;
  readonly key: string;
  ask(query: string, variables?: object): Promise<Reply>;
  /** One field of an answer without errors. */
  field<T>(name: string, query: string, variables?: object): Promise<T>;
}
export interface Opened {
  readonly url: string;
  readonly admin: Tenant;
  readonly store: ControlStore;
  readonly engine: EngineStore;
  readonly player: Player;
  readonly seal: SealKeys;
  /** Where an engine's stores are opened. */
  readonly engineUrl: string;
  /** For a further control over the same database. */
  readonly databaseUrl: string;
  /** The queues that were rung, in order. */
  readonly rung: readonly string[];
  tenant(name: string): Promise<Tenant>;
}
const NIL = asTenantId("00000000-0000-0000-0000-000000000000");

/**
 * One database and one control for a test file, gone when its tests have run. What is to be done after them is said at once: behind an await of what
 * another file has begun it would be done after that one's.
 */
export async function openForFile(): Promise<Opened> {
  const opening = last.then(open);
  last = opening.catch(() => {});
  after(async () => (await opening).close());
  return opening;
}

/** Files that share a process open one after the other: all at once, none would be ready soon. */
let last: Promise<unknown> = Promise.resolve();

async function open(): Promise<Opened & { close(): Promise<void> }> {
  const urls = await openShared();
  const store = await openControlStore(urls.control);
  const engine = await openEngineStore(urls.engine);
  const player = new Player(engine);
  const rung: string[] = [];
  const doorbell: Doorbell = { ...memoryDoorbell(), ring: (queue) => void rung.push(queue) };
  const seal = makeSealKeys();
  const log = openLog("control-test", "error");
  const control = await startControl({
    ...{ store, doorbell, log, telemetry: noTelemetry },
    ...{ sealKey: seal.publicKey, host: "127.0.0.1", port: 0 },
  });
  const key = mintKey();
  await store.addKey({ tenant: NIL, id: key.id, digest: key.digest, scopes: ["admin"] });
  const admin = tenantOf(control.url, "", key.text);
  return {
    ...{ url: control.url, admin, store, engine, player, seal, rung, databaseUrl: urls.control, engineUrl: urls.engine },
    tenant: async (name) => {
      const query = "mutation ($name: String!) { createTenant(input: { name: $name }) { key tenant { id name } } }";
      const made = await admin.field<{ key: string; tenant: { id: string } }>("createTenant", query, { name });
      return tenantOf(control.url, made.tenant.id, made.key);
    },
    close: async () => {
      await control.stop();
      await player.close();
      await Promise.all([store.close(), engine.close()]);
    },
  };
}

export function tenantOf(url: string, id: string, key: string): Tenant {
  const asked = (query: string, variables: object = {}): Promise<Reply> => ask(url, query, variables, key);
  return {
    ...{ url, id, key, ask: asked },
    field: async <T>(name: string, query: string, variables?: object) => {
      const { data, errors } = await asked(query, variables);
      if (errors.length > 0 || data === null) throw new Error(JSON.stringify(errors));
      return data[name] as T;
    },
  };
}

/** A workflow of steps in sequence: `chain("w", { a: "return 1;" })`. */
export function chain(id: string, scripts: Readonly<Record<string, string>>): string {
  const steps = Object.entries(scripts).map(([step, body]) => `<step id="${step}"><script>${body}</script></step>`);
  return `<woml><workflow id="${id}"><triggers><manual id="go"/></triggers><steps>${steps.join("")}</steps></workflow></woml>`;
}

export interface Published {
  readonly version: string | null;
  readonly created: boolean;
  readonly diagnostics: readonly { readonly code: string; readonly file: string; readonly message: string }[];
}
const PUBLISH = "mutation ($input: PublishInput!) { publish(input: $input) { version created diagnostics { code file message } } }";
export function publish(tenant: Tenant, input: object): Promise<Published> {
  return tenant.field("publish", PUBLISH, { input });
}
export async function publishText(tenant: Tenant, text: string, activate = true): Promise<string> {
  const { version, diagnostics } = await publish(tenant, { files: [{ path: "test.woml", text }], activate });
  if (version === null) throw new Error(JSON.stringify(diagnostics));
  return version;
}

const START = "mutation ($input: StartRunInput!) { startRun(input: $input) { duplicate run { id status payload version labels } } }";
export interface Started {
  readonly duplicate: boolean;
  readonly run: { readonly id: string; readonly status: string; readonly payload: unknown; readonly version: string };
}
export function start(tenant: Tenant, input: object): Promise<Started> {
  return tenant.field("startRun", START, { input });
}
export { START };
