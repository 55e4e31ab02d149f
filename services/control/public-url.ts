import type { Server } from "node:http";
import type { ControlOptions } from "./index.ts";

/** Where a server listens: `http://127.0.0.1:7330`, with the port that it was given where it asked for any. */
export function originOf({ host, port }: Pick<ControlOptions, "host" | "port">, server: Pick<Server, "address">): string {
  const address = server.address();
  const bound = typeof address === "object" && address ? address.port : port;
  return `http://${host.includes(":") ? `[${host}]` : host}:${bound}`;
}

/** How control is reached from outside, without a slash at its end. */
export function publicUrlOf(options: ControlOptions, server: Pick<Server, "address">): string {
  return options.publicUrl?.replace(/\/+$/, "") ?? originOf(options, server);
}
