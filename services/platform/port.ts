import { once } from "node:events";
import { createServer } from "node:net";
import { Refusal } from "./refusal.ts";

const LOCAL = "127.0.0.1";

/** Resolves to the port taken for a moment: `port` itself, or a free one for 0. A Refusal when it cannot be had. */
export async function tryPort(port: number): Promise<number> {
  const server = createServer().listen(port, LOCAL);
  try {
    await once(server, "listening");
  } catch (error) {
    throw portRefusal(port, error);
  }
  const address = server.address();
  server.close();
  await once(server, "close");
  return typeof address === "object" && address ? address.port : port;
}

function portRefusal(port: number, error: unknown): Refusal {
  const code = error instanceof Error && "code" in error ? String(error.code) : String(error);
  const why = code === "EADDRINUSE" ? "is taken by another program" : `cannot be listened on (${code})`;
  return new Refusal("WOML_PORT_TAKEN", `Port ${port} on ${LOCAL} ${why}; choose another with --port, or 0 for any free one.`);
}
