import { createHash, createHmac } from "node:crypto";
import { type Doorbell, noTelemetry, openLog, SHARED } from "@woml/boot";
import { accept, canonical, type Definition, type Json, type StepNode } from "@woml/model";
import type { EngineStore } from "@woml/prisma";
import { type MemoryRequest, type MemoryRun, type MemoryStore, memoryStore } from "@woml/prisma/memory";
import { asRunId, asTenantId, type RunKey } from "@woml/run";
import type { Invocation, ScriptOutcome } from "@woml/sandbox";
import { type Engine, type EngineOptions, startEngine, type World } from "../index.ts";
import type { Hosts } from "./hosts-double.ts";
import { type HostDouble, hostDouble } from "./plugin-double.ts";
import { nothingRan, type SandboxDouble, sandboxDouble } from "./sandbox-double.ts";
import { Time } from "./simulation/time.ts";
import type { Talk } from "./talk-double.ts";

export const EPOCH = 1_700_000_000_000;
export const TENANT = asTenantId("00000000-0000-7000-8000-00000000000a");
const silent = openLog("engine", "silent");
let count = 0;

/** What a script of a step answers; a number is how long an outcome takes. */
export type Scripts = (
  node: string,
  attempt: number,
  frame: Invocation,
) => ScriptOutcome | { readonly after: number; readonly outcome: ScriptOutcome };

export function ok(result: Json): ScriptOutcome {
  return { outcome: "ok", result: JSON.stringify(result), cpuMs: 1, ms: 1 };
}
export const threw: ScriptOutcome = {
  outcome: "script_threw",
  failure: { name: "Error", message: "no", stack: "at a.woml:1:1" },
  cpuMs: 1,
  ms: 1,
};
export { nothingRan };

/** Time, store, sandbox and bell for engines that a test starts. Frames are written down as `node#attempt`. */
export class Stage {
  readonly time = new Time();
  readonly memory: MemoryStore = memoryStore(() => EPOCH + Math.floor(this.time.now));
  readonly frames: string[] = [];
  readonly contexts = new Map<string, Json>();
  readonly sandbox: SandboxDouble;
  readonly plugins: HostDouble = hostDouble(() => EPOCH + Math.floor(this.time.now));
  /** Several hosts in its place; who asks while there are none has but the one above. */
  hosts: Hosts | null = null;
  scripts: Scripts = (node) => ok(node);
  /** Scripts that call; those of other steps are in `scripts`. */
  readonly talks = new Map<string, (talk: Talk, frame: Invocation) => Promise<ScriptOutcome>>();
  readonly #listeners = new Map<string, Set<() => void>>();

  constructor() {
    this.sandbox = sandboxDouble(
      async (frame, talk) => {
        const { number }: { number: number } = JSON.parse(frame.attempt);
        const node = frame.script.file.split("/")[1] ?? "";
        this.frames.push(`${node}#${number}`);
        this.contexts.set(node, JSON.parse(frame.context));
        const talks = this.talks.get(node);
        if (talks !== undefined) return talks(talk, frame);
        const said = this.scripts(node, number, frame);
        await this.time.sleep("after" in said ? said.after : 1);
        return "after" in said ? said.outcome : said;
      },
      (ms) => this.time.sleep(ms),
    );
  }
  get bell(): Doorbell {
    return {
      ring: (queue) => {
        for (const heard of this.#listeners.get(queue) ?? []) heard();
      },
      listen: (queue, heard) => {
        const heards = this.#listeners.get(queue) ?? new Set();
        this.#listeners.set(queue, heards.add(heard));
        return () => void heards.delete(heard);
      },
      forget: (queue) => void this.#listeners.delete(queue),
      fault: () => null,
      close: async () => undefined,
    };
  }
  /** The world as an engine has it; `store` may stand in for the memory store. */
  world(store: EngineStore = this.memory.open()): World {
    return {
      store,
      sandbox: this.sandbox,
      plugins: this.hosts ?? this.plugins,
      doorbell: this.bell,
      ...{ log: silent, telemetry: noTelemetry },
      monotonic: () => this.time.now,
      alarm: (delayMs, ring) => this.time.after(delayMs, ring),
      mint: uuid,
      seed: () => "seed",
      digest,
      derive: (seed, label) => createHmac("sha256", seed).update(label).digest("hex"),
      unseal: ({ tenant, name }, sealed) => unsealed(`${tenant} ${name} `, Buffer.from(sealed).toString()),
    };
  }
  async start(options: EngineOptions = {}, store?: EngineStore): Promise<Engine> {
    const engine = await startEngine(this.world(store), options);
    await this.settle();
    return engine;
  }
  /** Stores a definition and answers its version. */
  publish(definition: Definition): string {
    const accepted = accept(definition);
    if ("violations" in accepted) throw new Error(JSON.stringify(accepted.violations));
    const text = canonical(accepted.definition);
    const version = digest(text);
    this.memory.publish({ tenant: TENANT, version, text, sourceMap: null });
    return version;
  }
  /** Stores a start request and rings. */
  ask(version: string, payload: Json = {}, onAmbiguous?: "fail", workflow = "w"): RunKey {
    const key = { tenant: TENANT, run: asRunId(uuid()) };
    const trigger = { kind: "manual", id: "go" };
    const setting = onAmbiguous === undefined ? {} : { onAmbiguous };
    this.memory.request({ ...key, id: uuid(), body: { kind: "start", workflow, version, trigger, payload, labels: [], ...setting } });
    this.bell.ring(SHARED);
    return key;
  }
  resolve(key: RunKey, said: Omit<Extract<MemoryRequest["body"], { readonly kind: "resolve" }>, "kind" | "by">): string {
    const id = uuid();
    this.memory.request({ ...key, id, body: { kind: "resolve", by: "someone", ...said } });
    this.bell.ring(SHARED);
    return id;
  }
  decide(key: RunKey, node: string, decision: "approved" | "rejected"): string {
    const id = uuid();
    this.memory.request({ ...key, id, body: { kind: "resolve_approval", node, decision, by: "someone" } });
    this.bell.ring(SHARED);
    return id;
  }
  cancel(key: RunKey): string {
    const id = uuid();
    this.memory.request({ ...key, id, body: { kind: "cancel" } });
    this.bell.ring(SHARED);
    return id;
  }
  /** Everything that happens within so many milliseconds. */
  async wait(ms: number): Promise<void> {
    const until = this.time.now + ms;
    let isOver = false;
    this.time.after(ms, () => {
      isOver = true;
    });
    await this.time.run(() => isOver, until);
  }
  settle(): Promise<void> {
    return this.wait(0);
  }
  run(key: RunKey): MemoryRun {
    const row = this.memory.run(key);
    if (row === null) throw new Error("no such run");
    return row;
  }
  /** Types of a run's events, with node and attempt where they have one. */
  log(key: RunKey): readonly string[] {
    return this.run(key).events.map(({ type, data }) => {
      const { node, attempt, call, lost, outcome } = data as Partial<Record<"node" | "attempt" | "call" | "lost", string>> & {
        outcome?: { status: string };
      };
      const subject =
        node === undefined ? null : attempt === undefined ? node : `${node}#${attempt}${call === undefined ? "" : `.${call}`}`;
      return [type, subject, lost, outcome?.status].filter(Boolean).join(" ");
    });
  }
  request(id: string): MemoryRequest | undefined {
    return this.memory.requests().find((request) => request.id === id);
  }
}

/** Steps one after another. */
export function chain(...steps: readonly (string | StepNode)[]): Definition {
  const nodes = steps.map((one) => (typeof one === "string" ? step(one) : one));
  const edges = nodes.slice(1).map(({ id }, at) => ({ from: nodes[at]?.id ?? "", to: id }));
  return {
    schemaVersion: 1,
    workflow: { id: "w" },
    triggers: [{ id: "go", kind: "manual" }],
    nodes,
    edges,
    result: nodes.at(-1)?.id ?? "",
  };
}
export function step(id: string, more: Partial<StepNode> = {}): StepNode {
  return { kind: "step", id, script: { source: `return ${JSON.stringify(id)};` }, ...more };
}
/** What the double's `unseal` opens. */
export function sealed(tenant: string, name: string, value: string): Uint8Array {
  return Buffer.from(`${tenant} ${name} ${value}`);
}
function unsealed(owner: string, text: string): string {
  if (!text.startsWith(owner)) throw new Error("sealed for somebody else");
  return text.slice(owner.length);
}
/** A store in which some calls are played otherwise. */
export function withCalls(store: EngineStore, calls: Partial<EngineStore>): EngineStore {
  return { ...store, ...calls };
}
export function uuid(): string {
  count += 1;
  return `00000000-0000-7000-8000-${count.toString(16).padStart(12, "0")}`;
}
export function digest(text: string): string {
  return `sha256:${createHash("sha256").update(text).digest("hex")}`;
}
