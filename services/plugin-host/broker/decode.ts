import { promisify } from "node:util";
import { brotliDecompress, gunzip, inflate } from "node:zlib";
import { Loss } from "./answer.ts";
import { type Answer, tooLarge } from "./exchange.ts";

const DECODERS: Readonly<Record<string, (body: Buffer, options: { readonly maxOutputLength: number }) => Promise<Buffer>>> = {
  gzip: promisify(gunzip),
  "x-gzip": promisify(gunzip),
  deflate: promisify(inflate),
  br: promisify(brotliDecompress),
};

/** We ask for no encoding; a server that answers with one all the same is read up to the same bound. */
export async function decoded(answer: Answer, maxBytes: number): Promise<Answer> {
  const encoding = (answer.headers.get("content-encoding") ?? "identity").trim().toLowerCase();
  if (encoding === "identity" || encoding === "" || answer.body.length === 0) return answer;
  const decode = Object.hasOwn(DECODERS, encoding) ? DECODERS[encoding] : undefined;
  if (decode === undefined) throw new Loss("WOML_EGRESS_ANSWER_INVALID", "The answer is encoded in a way that nobody asked for.");
  // maxOutputLength must be at least 1.
  const body = await decode(answer.body, { maxOutputLength: Math.max(maxBytes, 1) }).catch((error: unknown) => {
    const overrun = error instanceof Error && "code" in error && error.code === "ERR_BUFFER_TOO_LARGE";
    throw overrun ? tooLarge(maxBytes) : new Loss("WOML_EGRESS_ANSWER_INVALID", `The answer is not ${encoding}.`);
  });
  const headers = new Map(answer.headers);
  headers.delete("content-encoding");
  headers.delete("content-length");
  return { ...answer, headers, body };
}
