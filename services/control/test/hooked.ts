// Webhooks over a real control: what is sent to them byte by byte, and an engine's part in their secrets, played by hand.
import { after } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { doorSealing, seal, unseal } from "@woml/boot";
import { openTriggerStore } from "@woml/prisma";
import type { Opened, Tenant } from "./opened.ts";

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: {
    readonly runId?: string;
    readonly status?: string;
    readonly duplicate?: boolean;
    readonly error?: {
      readonly code: string;
      readonly message: string;
      readonly issues?: readonly { readonly path: string; readonly message: string }[];
    };
    readonly requestId?: string;
  };
}
export type Headed = Readonly<Record<string, string>>;
export interface Post {
  readonly body?: string | Uint8Array;
  readonly headers?: Headed;
  readonly method?: string;
}

export function postTo(opened: Pick<Opened, "url">): (place: string, post?: Post) => Promise<Answer> {
  const base = new URL(opened.url).origin;
  return async (place, { body = "{}", headers = {}, method = "POST" } = {}) => {
    const sent = method === "GET" || method === "HEAD" ? {} : { body: Buffer.from(body) };
    const response = await fetch(`${base}${place}`, { method, headers: { "content-type": "application/json", ...headers }, ...sent });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: text === "" ? {} : JSON.parse(text) };
  };
}

/** Gives each door what it lacks, as engines do each second. */
export async function openGiving(opened: Opened): Promise<() => Promise<void>> {
  const opening = openTriggerStore(opened.engineUrl);
  after(async () => (await opening).close());
  const store = await opening;
  return async () => {
    for (const want of await store.wanting(1_000)) {
      const { tenant, name, door, publicKey, sealed } = want;
      const value = unseal(opened.seal.privateKey, { tenant, name }, sealed);
      await store.give(want, seal(publicKey, doorSealing({ tenant, name }, door), value));
    }
  };
}

/** A workflow that starts by a webhook alone. */
export function hooked(id: string, { path = `/${id}`, auth = 'auth="none"', schema = "", config = "" } = {}): string {
  const webhook = `<webhook id="in" path="${path}" ${auth}>${schema === "" ? "" : `<schema>${schema}</schema>`}</webhook>`;
  const steps = `<steps><step id="a"><script>return 1;</script></step></steps>`;
  return `<woml><workflow id="${id}">${config}<triggers>${webhook}</triggers>${steps}</workflow></woml>`;
}

/** What the door writes down without keeping its answer back for it. */
export async function written<T>(read: () => Promise<readonly T[]>, patienceMs = 10_000): Promise<readonly T[]> {
  for (const until = Date.now() + patienceMs; ; await sleep(20)) {
    const found = await read();
    if (found.length > 0 || Date.now() > until) return found;
  }
}

const SET_SECRET = "mutation ($input: SetSecretInput!) { setSecret(input: $input) { secret { name } } }";
export async function setSecret(tenant: Tenant, name: string, value: string): Promise<void> {
  await tenant.field("setSecret", SET_SECRET, { input: { name, value } });
}
