import { connection, type Edges } from "./answer.ts";
import type { Field } from "./field.ts";
import * as queries from "./queries.ts";
import type { DeliveriesAsk, Delivery, Page } from "./types.ts";

/** What came to triggers, and how it is delivered again. */
export interface DeliveryClient {
  /** Newest first. */
  deliveries(ask?: DeliveriesAsk): Promise<Page<Delivery>>;
  /** Starts a run of the active version with what this delivery brought; each time another one. */
  redeliver(delivery: string): Promise<{ readonly run: string; readonly delivery: Delivery }>;
}

export function openDeliveries(field: Field): DeliveryClient {
  return {
    deliveries: async (wanted = {}) => connection(await field<Edges<Delivery>>("deliveries", queries.DELIVERIES, { ...wanted })),
    redeliver: async (delivery) => {
      const input = { delivery };
      const made = await field<{ run: { id: string }; delivery: Delivery }>("redeliver", queries.REDELIVER, { input });
      return { ...made, run: made.run.id };
    },
  };
}
