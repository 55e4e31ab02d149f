// A control plane over a store that knows two keys and nothing else, for what is decided before the store is asked.
import type { TestContext } from "node:test";
import { type Log, makeSealKeys, memoryDoorbell, noTelemetry, openLog } from "@woml/boot";
import type { ControlStore, KeyRow } from "@woml/prisma";
import { asTenantId } from "@woml/run";
import { type Control, mintKey, startControl } from "../index.ts";

const TENANT = asTenantId("019a0000-0000-7000-8000-00000000000a");
const NIL = asTenantId("00000000-0000-0000-0000-000000000000");
export const tenantKey = mintKey();
export const adminKey = mintKey();
const ROWS: readonly KeyRow[] = [
  { tenant: TENANT, id: tenantKey.id, digest: tenantKey.digest, scopes: ["tenant"] },
  { tenant: NIL, id: adminKey.id, digest: adminKey.digest, scopes: ["admin"] },
];

/** Every question to it but that for a key ends in this error, whose message holds what nobody may see. */
export const SECRET = "payload of a tenant";

export function stubStore(over: Partial<ControlStore> = {}): ControlStore {
  const refuse = (): Promise<never> => Promise.reject(Object.assign(new Error(SECRET), { code: "57P01" }));
  const key = async (id: string): Promise<KeyRow | null> => ROWS.find((row) => row.id === id) ?? null;
  return {
    commits: 0,
    key,
    withTenant: refuse,
    asAdmin: refuse,
    submit: refuse,
    createTenant: refuse,
    tenants: refuse,
    addKey: refuse,
    pendingMigrations: async () => [],
    tenantNamed: refuse,
    isTenant: refuse,
    holdDoor: async () => {},
    closeDoor: async () => {},
    close: async () => {},
    ...over,
  };
}

const SILENT = openLog("control-test", "silent");

export async function stubControl(t: TestContext, store: ControlStore = stubStore(), port = 0, log: Log = SILENT): Promise<Control> {
  const sealKey = makeSealKeys().publicKey;
  const options = { store, doorbell: memoryDoorbell(), log, telemetry: noTelemetry, sealKey, host: "127.0.0.1", port };
  const control = await startControl(options);
  t.after(() => control.stop());
  return control;
}

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly data: Readonly<Record<string, never>> | null;
  readonly codes: readonly string[];
  readonly errors: readonly { readonly message: string; readonly extensions: Readonly<Record<string, unknown>> }[];
}

/** Sends a body as it stands. */
export async function send(url: string, body: string, headers: Readonly<Record<string, string>> = {}): Promise<Reply> {
  const standard = { "content-type": "application/json", authorization: `Bearer ${tenantKey.text}` };
  const response = await fetch(url, { method: "POST", body, headers: { ...standard, ...headers } });
  const { data, errors = [] } = await response.json();
  const codes = errors.map((error: Reply["errors"][number]) => error.extensions["code"]);
  return { status: response.status, headers: response.headers, data, codes, errors };
}

export function ask(url: string, query: string, variables: object = {}, key: string = tenantKey.text): Promise<Reply> {
  return send(url, JSON.stringify({ query, variables }), { authorization: `Bearer ${key}` });
}
