import { randomUUID } from "node:crypto";
import { SHARED } from "@woml/boot";
import { signalFault } from "@woml/model";
import { isPlatformSignal } from "@woml/run";
import { type Asking, withTenant } from "./asking.ts";
import { entryOf } from "./audit.ts";
import { ApiError } from "./errors.ts";
import { acceptPayload } from "./payload.ts";
import { printable } from "./printable.ts";
import { type Emitted, fanOut, inTurn } from "./signal.ts";
import { askerOf } from "./tenant.ts";

export interface EmitSignalInput {
  readonly name: string;
  readonly payload?: unknown;
  readonly id?: string | null;
}
const ID = printable(512);

/** A signal of somebody who has a key: every workflow that listens to this name hears it. */
export async function emitSignal(asking: Asking, input: EmitSignalInput): Promise<Emitted> {
  const name = signalNameOf(input.name);
  const payload = acceptPayload(input.payload);
  const id = input.id === null || input.id === undefined ? randomUUID() : signalIdOf(input.id);
  const emit = (steps?: number): Promise<Emitted> =>
    withTenant(asking, async (scope) => {
      const { trace } = asking;
      const said = await fanOut(scope, { id, name, payload, trace, isDelivery: false, steps }, await scope.subscribers(name));
      const { accepted, duplicate, rejected } = said;
      await scope.record(entryOf(asking.who.key, "signal.emit", name, { id, accepted, duplicate, rejected }));
      return said;
    });
  const emitted = await inTurn(askerOf(asking.who), emit);
  if (emitted.accepted > 0) asking.doorbell.ring(SHARED);
  return emitted;
}

/** Of a signal that somebody else than the platform may emit. */
function signalNameOf(name: string): string {
  const fault = signalFault(name);
  if (fault !== null) throw new ApiError("WOML_EVENT_NAME_INVALID", fault);
  if (!isPlatformSignal(name)) return name;
  throw new ApiError("WOML_EVENT_NAME_RESERVED", `${name} is a signal that the platform alone emits`);
}

export function signalIdOf(id: string): string {
  if (ID.test(id)) return id;
  throw new ApiError("WOML_EVENT_ID_INVALID", "the id of a signal has to be 1 to 512 printable characters");
}
