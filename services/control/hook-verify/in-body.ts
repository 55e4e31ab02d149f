// Some senders name a delivery in what they send, and not in a header. It is read once it is known from whom the body is, and never before.
import type { Json, Verification } from "@woml/model";

type Members = { readonly [key: string]: Json };
export interface Named {
  readonly delivery: string;
  /** What has to be the same when it comes again. */
  readonly compared: Json;
}

/** null where the sender is not one of those, or has named nothing. */
export function namedIn({ scheme }: Verification, payload: Json): Named | null {
  if (!isObject(payload)) return null;
  switch (scheme) {
    case "stripe":
      return stripe(payload);
    case "slack":
      return by(payload["event_id"], payload);
    default:
      return null;
  }
}

/** Stripe counts within the event whom it has still to tell: the same one may come again with another number. */
function stripe({ pending_webhooks: _, ...event }: Members): Named | null {
  return by(event["id"], event);
}

const isObject = (payload: Json): payload is Members => typeof payload === "object" && payload !== null && !Array.isArray(payload);

function by(name: Json | undefined, compared: Json): Named | null {
  return typeof name === "string" ? { delivery: name, compared } : null;
}
