import { canonical, type Definition, type Json, type StepNode } from "@woml/model";
import type { Performed } from "@woml/plugin-host";
import type { OperationState, RunKey } from "@woml/run";
import { foldAll, operationId } from "@woml/run";
import type { ScriptOutcome } from "@woml/sandbox";
import type { Engine } from "../index.ts";
import { answered, Provider } from "./provider-double.ts";
import { chain, digest, ok, Stage, step, TENANT, withCalls } from "./stage.ts";
import type { Talk, Told } from "./talk-double.ts";

const sizes = { timeoutMs: 10_000, maxInputBytes: 1_000, maxOutputBytes: 1_000 };
const anything = { input: { type: "object" }, output: {} };
const amount = {
  input: { type: "object", properties: { n: { type: "number" } }, required: ["n"], additionalProperties: false },
  output: {},
};

/** One operation of each class, by a made-up plugin. */
export const MANIFEST = {
  manifestVersion: 1,
  id: "test.shop",
  version: "1.0.0",
  contract: 1,
  publisher: "tests",
  permissions: {},
  operations: {
    quote: { effect: "pure", ...anything, ...sizes },
    charge: { effect: "keyed", ...amount, ...sizes, idempotency: { header: "Idempotency-Key", windowHours: 1 } },
    transfer: { effect: "reattachable", ...anything, ...sizes, status: { conclusiveNotFoundAfterMs: 20_000, pendingMaxMs: 60_000 } },
    refund: { effect: "unsafe", ...anything, ...sizes },
  },
} as const;
const CALLS = ["shop.charge", "shop.quote", "shop.refund", "shop.transfer"];

/** A stage with that plugin: approved, granted, and a provider behind it that counts effects. */
export class Shop extends Stage {
  readonly provider = new Provider();
  readonly release: string;
  /** How long the provider takes to answer. */
  answerMs = 1;

  constructor(manifest: Json = MANIFEST) {
    super();
    const text = canonical(manifest);
    this.release = digest(text);
    this.memory.vault.store({ digest: this.release, manifest: text, artefact: new Uint8Array(), capability: "test.shop" });
    this.memory.vault.grant(TENANT, "test.shop");
    this.plugins.act = async (dispatch): Promise<Performed> => {
      const result = this.provider.land(dispatch);
      await this.time.sleep(this.answerMs);
      return answered(result);
    };
    this.plugins.find = async (dispatch) => this.provider.find(dispatch);
  }
  /** Steps one after another, or side by side, of which each may call the shop. */
  sell(...steps: readonly (string | StepNode)[]): string {
    return this.sellAll(chain(...steps));
  }
  sellApart(...steps: readonly string[]): string {
    return this.sellAll({ ...chain(...steps), edges: [] });
  }
  sellAll({ nodes, ...rest }: Definition): string {
    const calling = nodes.map((node) => (node.kind === "step" ? { ...node, script: { ...node.script, calls: CALLS } } : node));
    const uses = [{ alias: "shop", capability: "test.shop", range: "^1", bound: { version: "1.0.0", release: this.release } }];
    return this.publish({ ...rest, nodes: calling, uses } as Definition);
  }
  /** What the script of a step does: its result is the step's, what it throws fails it. */
  play(node: string, script: (talk: Talk) => Promise<Json>): void {
    this.talks.set(node, async (talk): Promise<ScriptOutcome> => {
      try {
        return ok(await script(talk));
      } catch (error) {
        const call = error instanceof Refusal ? { call: error.call } : {};
        const message = error instanceof Error ? error.message : String(error);
        return { outcome: "script_threw", failure: { name: "Error", message, stack: "", ...call }, cpuMs: 1, ms: 1 };
      }
    });
  }
  operation(key: RunKey, node: string, attempt = 1, call = 1): OperationState | undefined {
    return foldAll(this.run(key).events).operations.get(operationId(node, attempt, call));
  }
  code(key: RunKey): string | undefined {
    const last = this.run(key).events.at(-1);
    return last?.type === "run_failed" ? last.data.failure.code : last?.type;
  }
  /** An engine whose process will be killed: it does not give its lease back when it loses it. */
  mortal(): Promise<Engine> {
    const memory = this.memory.open();
    const opened = async (engine: string, leaseMs: number): ReturnType<typeof memory.openLease> => {
      const { lease, at } = await memory.openLease(engine, leaseMs);
      return { at, lease: { ...lease, release: async () => undefined } };
    };
    return this.start({}, withCalls(memory, { openLease: opened }));
  }
  /** Its process is gone; another takes its runs. `meanwhile` happens between the two. */
  async replace(engine: Engine, meanwhile = (): void => undefined): Promise<Engine> {
    this.memory.breakLease(engine.id);
    await this.settle();
    meanwhile();
    return this.mortal();
  }
}

class Refusal extends Error {
  readonly call: number;
  constructor(told: Told & { readonly ok: false }, call: number) {
    super(told.code);
    this.call = call;
  }
}

/** Calls, and throws on what went wrong. */
export async function call(talk: Talk, operation: string, input: Json = { n: 1 }, name: string | null = null): Promise<Json> {
  const number = talk.calls + 1;
  const told = await talk.call(`shop.${operation}`, input, name);
  if (!told.ok) throw new Refusal(told, number);
  return told.value;
}
export { step };
