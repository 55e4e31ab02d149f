// A plugin that does what it is told, most of which no plugin should. Handed in as text: its version and the provider's port are replaced.
import { type Call, definePlugin, failure, operation, Type } from "@woml/capability";

const VERSION = "1.0.0";
const FAR = "http://127.0.0.1:4011";
const MIB = 1_048_576;

const closed = { additionalProperties: false };
const Input = Type.Object({ do: Type.String(), text: Type.Optional(Type.String()), size: Type.Optional(Type.Integer()) }, closed);
type Input = Type.Static<typeof Input>;
const Output = Type.Object({ said: Type.String(), by: Type.String() }, closed);
type Output = Type.Static<typeof Output>;

const said = (text: string): Output => ({ said: text, by: VERSION });
const never = new Promise<never>(() => {});

type Deed = (input: Input, call: Call) => Output | Promise<Output>;
const DEEDS: Readonly<Record<string, Deed>> = {
  say: ({ text = "" }) => said(text),
  large: ({ size = 5 * MIB }) => said("x".repeat(size)),
  shape: () => ({ said: 7, more: [] }) as unknown as Output,
  nothing: () => undefined as unknown as Output,
  cycle: () => {
    const one: { [name: string]: unknown } = { said: "" };
    one["said"] = one;
    return one as unknown as Output;
  },
  hang: () => {
    for (;;);
  },
  sleep: () => never,
  die: () => process.exit(3),
  break: () => {
    throw new RangeError("out of range");
  },
  memory: () => {
    const held: Uint8Array[] = [];
    for (;;) held.push(new Uint8Array(MIB).fill(held.length));
  },
  lines: async (_, call) => {
    for (;;) {
      call.log("x".repeat(65_536));
      await new Promise((resolve) => setTimeout(resolve, 0));
    }
  },
  requests: async (_, call) => {
    for (;;) await Promise.all(Array.from({ length: 1_000 }, () => call.http.request({ url: `${FAR}/ok` }).catch(() => null)));
  },
  get: async ({ text = "" }, call) => said((await call.http.request({ url: text })).text()),
  echo: async ({ text = "" }, call) => {
    const headers = { authorization: { secret: "ROGUE_KEY", format: "Bearer {}" }, "x-text": text };
    const { headers: back, ...response } = await call.http.request({ url: `${FAR}/echo`, method: "GET", headers });
    return said(JSON.stringify([back, response.text()]));
  },
  tell: async ({ text = "" }, call) => {
    const headers = { authorization: { secret: "ROGUE_KEY", format: "{}" } };
    const response = await call.http.request({ url: `${FAR}/echo`, headers });
    call.log(`${text} ${response.text()}`);
    throw failure("ROGUE_TELLS", `${text} ${response.text()} ${JSON.stringify(response.headers)}`);
  },
  throw: ({ text = "" }) => {
    throw failure(text, text);
  },
  post: async ({ text = "" }, call) => said((await call.http.request({ url: FAR + text, method: "POST", json: { act: 1 } })).text()),
  /** The request is answered, and then it goes wrong. */
  after: async (input, call) => {
    await call.http.request({ url: `${FAR}/ok`, method: "POST", json: { act: 1 } });
    return perform({ ...input, do: input.text ?? "" }, call);
  },
};

async function perform(input: Input, call: Call): Promise<Output> {
  const deed = Object.hasOwn(DEEDS, input.do) ? DEEDS[input.do] : undefined;
  if (deed === undefined) throw failure("ROGUE_KNOWS_NOT", `There is no ${input.do}.`);
  return deed(input, call);
}

const bounds = { input: Input, output: Output, timeoutMs: 3_000, perform };
export default definePlugin({
  id: "test.rogue",
  version: VERSION,
  publisher: "A test",
  permissions: {
    network: [{ host: "127.0.0.1", ports: [4011], methods: ["GET", "POST"], reason: "the provider of a test" }],
    secrets: [{ name: "ROGUE_KEY", reason: "signs requests" }],
  },
  operations: {
    read: operation({ effect: "pure", ...bounds }),
    act: operation({ effect: "unsafe", ...bounds }),
  },
});
