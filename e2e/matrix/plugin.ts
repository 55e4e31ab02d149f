// One operation of each class, against the provider of the matrix (provider.ts). What is handed in is this text with a last line (offer.ts).
import {
  type Call,
  definePlugin,
  failure,
  type HttpResponse,
  type Json,
  operation,
  type Plugin,
  type Reattached,
  Type,
} from "@woml/capability";

const closed = { additionalProperties: false };
const Input = Type.Object({ case: Type.String({ minLength: 1, maxLength: 128 }) }, closed);
const Output = Type.Object({ id: Type.String({ maxLength: 128 }) }, closed);
type Output = Type.Static<typeof Output>;

export function bank(port: number): Plugin {
  const at = (path: string, of: string, call: Call): string =>
    `http://127.0.0.1:${port}/${path}?case=${encodeURIComponent(of)}&key=${call.key}`;

  const read = (response: HttpResponse): Output => {
    if (response.status === 200) return response.json() as Output;
    throw failure("BANK_BROKE", `The bank answered ${response.status}.`, { ambiguous: true });
  };
  const post = (path: string) => async (input: Type.Static<typeof Input>, call: Call) =>
    read(await call.http.request({ url: at(path, input.case, call), method: "POST", json: input, redirect: "error" }));

  const status = async (input: Type.Static<typeof Input>, call: Call): Promise<Reattached<Output>> => {
    const answer = await call.http.request({ url: at("status", input.case, call) });
    if (answer.status === 404) return { status: "not_found" };
    if (answer.status !== 200) return { status: "unknown" };
    const found = answer.json() as { readonly [member: string]: Json };
    if (found["status"] === "pending") return { status: "pending" };
    return { status: "succeeded", result: found["result"] as Output };
  };

  const shapes = { input: Input, output: Output };
  return definePlugin({
    id: "acme.bank",
    version: "1.0.0",
    publisher: "Acme Ltd",
    permissions: { network: [{ host: "127.0.0.1", ports: [port], methods: ["GET", "POST"], reason: "the bank on this machine" }] },
    operations: {
      pure: operation({
        ...shapes,
        effect: "pure",
        perform: async (input, call) => read(await call.http.request({ url: at("pure", input.case, call) })),
      }),
      keyed: operation({
        ...shapes,
        effect: "keyed",
        idempotency: { header: "Idempotency-Key", windowHours: 24 },
        perform: post("keyed"),
      }),
      /** The bank forgets its key after 1.8 seconds. */
      brief: operation({
        ...shapes,
        effect: "keyed",
        idempotency: { header: "Idempotency-Key", windowHours: 0.0005 },
        perform: post("keyed"),
      }),
      /** Its key de-duplicates nothing: a second request is a second effect. */
      reattachable: operation({
        ...shapes,
        effect: "reattachable",
        status: { conclusiveNotFoundAfterMs: 2_000, pendingMaxMs: 60_000 },
        perform: post("reattachable"),
        reattach: status,
      }),
      unsafe: operation({ ...shapes, effect: "unsafe", perform: post("unsafe") }),
      /** Hides what it knows: it says that nothing was done, whatever came of its request. */
      wrapping: operation({
        ...shapes,
        effect: "unsafe",
        retryable: ["BANK_BUSY"],
        perform: async (input, call) => {
          try {
            return await post("unsafe")(input, call);
          } catch {
            throw failure("BANK_BUSY", "The bank is busy; nothing was done.");
          }
        },
      }),
    },
  });
}
