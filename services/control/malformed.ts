import type { Socket } from "node:net";
import type { ApiCode } from "./errors.ts";

const STATUS: Readonly<Record<string, string>> = {
  ERR_HTTP_REQUEST_TIMEOUT: "408 Request Timeout",
  HPE_HEADER_OVERFLOW: "431 Request Header Fields Too Large",
};

/** What is no HTTP reaches no route: it is answered on the socket, in the shape of every other refusal, and the socket ends. */
export function refuseHttp(error: Error & { readonly code?: string }, socket: Socket): void {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const status = STATUS[error.code ?? ""] ?? "400 Bad Request";
  const message = `this is not an HTTP request that can be read: ${status}`;
  const body = JSON.stringify({ data: null, errors: [{ message, extensions: { code: "WOML_HTTP_INVALID" satisfies ApiCode } }] });
  const head = [
    `HTTP/1.1 ${status}`,
    "content-type: application/json; charset=utf-8",
    `content-length: ${body.length}`,
    "connection: close",
  ];
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`);
}
