// What came and started nothing is written down too, so that whoever owns the door can see it. What strangers can cause is counted in one row a minute, by
// one transaction at a time: however many they are, they stand in nobody's way at the database.
import { createHash } from "node:crypto";
import type { Log } from "@woml/boot";
import type { Json } from "@woml/model";
import type { ControlStore, NewDelivery } from "@woml/prisma";
import type { TenantId } from "@woml/run";
import { entryOf } from "./audit.ts";
import type { Hook } from "./hook-find.ts";
import { mintUuid } from "./ids.ts";
import { Together } from "./together.ts";

const MINUTE_MS = 60_000;
/** Of a rejected payload, as JSON: beyond that it cannot be delivered again from here. */
const KEPT_PAYLOAD_BYTES = 256 * 1024;

interface Journal {
  readonly store: Pick<ControlStore, "withTenant">;
  readonly log: Log;
}
export interface Refused {
  readonly hook: Hook;
  readonly code: string;
  /** Of hook-verify/came.ts. */
  readonly reason: string;
}
export interface Strayed {
  readonly tenant: TenantId;
  readonly kind: "webhook" | "signal";
  readonly code: string;
}
export interface Unheard {
  readonly tenant: TenantId;
  /** The signal's. */
  readonly name: string;
  readonly reason: string;
}
export interface Rejected {
  readonly hook: Hook;
  readonly code: string;
  readonly message: string;
  /** The name of the secret that it was verified with; null where anybody may ask. */
  readonly secret: string | null;
  readonly source: string | null;
  readonly bytes: Buffer | null;
  readonly payload: Json | undefined;
}

export const digestOfBytes = (bytes: Buffer): string => `sha256:${createHash("sha256").update(bytes).digest("hex")}`;

export const deliveryOf = ({ row }: Hook): Pick<NewDelivery, "id" | "workflow" | "trigger" | "kind"> => ({
  ...{ id: mintUuid(), workflow: row.workflow, trigger: row.trigger, kind: row.kind },
});

/** Of one process of control. What it is told is written, or could not be, when it answers; it never rejects. */
export class HookLog {
  readonly #journal: Journal;
  readonly #together = new Together<void>();
  /** By tenant and bucket: those who came while what came before was being written. */
  readonly #counts = new Map<string, number>();

  constructor(journal: Journal) {
    this.#journal = journal;
  }

  /** Nobody knows who it was: nothing of what came is kept, and the first of a minute stands in the audit. */
  refused({ hook, code, reason }: Refused): Promise<void> {
    const of = `${hook.row.workflow}/${hook.row.trigger}`;
    const delivery = { ...deliveryOf(hook), outcome: "refused", code, detail: { reason } } as const;
    const entry = entryOf("door", "webhook.refuse", of, { code, detail: { reason } });
    return this.#count(hook.tenant, bucket(of, `${code} ${reason}`), { delivery, entry });
  }

  /** A tenant that is there was asked with a bearer for a path or a signal that is not: perhaps a secret of another's. No trigger can say so. */
  strayed({ tenant, kind, code }: Strayed): Promise<void> {
    const delivery = { id: mintUuid(), workflow: "", trigger: "", kind, outcome: "refused", code } as const;
    const entry = entryOf("door", `${kind}.refuse`, "", { code, detail: {} });
    return this.#count(tenant, bucket("", code), { delivery, entry });
  }

  /** A signal came to a tenant whose listeners know nobody by what was sent with it. */
  unheard({ tenant, name, reason }: Unheard): Promise<void> {
    const code = "WOML_EVENT_UNAUTHORIZED";
    const detail = { signal: name, reason };
    const delivery = { id: mintUuid(), workflow: "", trigger: "", kind: "signal", outcome: "refused", code, detail } as const;
    return this.#count(tenant, bucket(`signal ${name}`, code), {
      delivery,
      entry: entryOf("door", "signal.refuse", name, { code, reason }),
    });
  }

  /** It was known from whom it came, or anybody may ask, and it asked for what cannot be. */
  rejected({ hook, code, message, secret, source, bytes, payload }: Rejected): Promise<void> {
    const isKept = payload !== undefined && bytes !== null && bytes.length <= KEPT_PAYLOAD_BYTES;
    const delivery: NewDelivery = {
      ...{ ...deliveryOf(hook), outcome: "rejected", code, detail: { message: storableText(message) } },
      ...{ ...(source !== null && { source }), ...(bytes !== null && { bodyDigest: digestOfBytes(bytes) }), ...(isKept && { payload }) },
    };
    if (secret !== null) return write(this.#journal, hook.tenant, { delivery: { ...delivery, secret }, entry: null });
    return this.#count(hook.tenant, bucket(`${hook.row.workflow}/${hook.row.trigger}`, code), { delivery, entry: null });
  }

  #count(tenant: TenantId, named: string, { delivery, entry }: Written): Promise<void> {
    const key = `${tenant} ${named}`;
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
    return this.#together.ask(key, () => {
      const count = this.#counts.get(key) ?? 1;
      this.#counts.delete(key);
      return write(this.#journal, tenant, { delivery: { ...delivery, bucket: named, count }, entry });
    });
  }
}

/** What was sent may be told in it. */
const storableText = (text: string): string => text.slice(0, 512).toWellFormed().replaceAll("\0", "\ufffd");

const bucket = (of: string, code: string): string => `${of} ${code} ${Math.floor(Date.now() / MINUTE_MS)}`;

interface Written {
  readonly delivery: NewDelivery;
  /** What the audit says where it was the first of its bucket. */
  readonly entry: ReturnType<typeof entryOf> | null;
}
/** The answer does not wait for a log that cannot be written: whoever asked gets what there is to say. */
async function write({ store, log }: Journal, tenant: TenantId, { delivery, entry }: Written): Promise<void> {
  try {
    await store.withTenant(tenant, async (scope) => {
      const isFirst = await scope.deliver(delivery);
      if (isFirst && entry !== null) await scope.record(entry);
    });
  } catch (error) {
    log.warn({ tenant, code: error instanceof Error && "code" in error ? String(error.code) : "" }, "a delivery was not written down");
  }
}
