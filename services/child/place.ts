/** Where a supervisor listens or is found: a Unix socket of this machine, or TCP under a secret that both sides hold. */
export type Place =
  | { readonly socket: string }
  | {
      readonly host: string;
      readonly port: number;
      /** At least one, each of 32 characters or more. The first is used to dial, any of them is taken from who dials: so they can be changed. */
      readonly secrets: readonly string[];
    };
/** A place on the network. */
export type FarPlace = Exclude<Place, { readonly socket: string }>;

export const isFar = (place: Place): place is FarPlace => "port" in place;

/** As messages and logs name it, and never with its secrets: `10.0.0.1:7331`, `[::1]:7331`, or the socket's path. */
export function nameOf(place: Place | { readonly host: string; readonly port: number }): string {
  if ("socket" in place) return place.socket;
  return place.host.includes(":") ? `[${place.host}]:${place.port}` : `${place.host}:${place.port}`;
}
