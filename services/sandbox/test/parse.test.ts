import assert from "node:assert/strict";
import { test } from "node:test";
import { FrameFault } from "@woml/child";
import { encode } from "@woml/child/framing";
import { BOUNDS, DEFAULT_LIMITS } from "../bounds.ts";
import { parseFromSupervisor, parseFromWorker, parseToSupervisor, parseToWorker } from "../parse.ts";

const script = { digest: "d", text: "return 1", file: "a.woml", line: 1, column: 1 };
const chance = { math: "0".repeat(64), crypto: "f".repeat(64) };
const work = { invocation: "i", script, context: "{}", attempt: "{}", limits: DEFAULT_LIMITS, startedAt: 1, chance };
const rich = {
  ...work,
  operations: ["echo", "payments.charge"],
  props: "{}",
  lifecycle: "{}",
  notification: "{}",
  modules: [{ alias: "tax", digest: `sha256:${"0".repeat(64)}` }],
  secrets: { KEY: `woml_secret.${"0a".repeat(16)}.n.KEY.` },
  journal: [{ call: 1 }, { timer: 1 }, { answer: 1 }, { call: 2 }],
  parkAfterMs: 5_000,
};
const outcome = { outcome: "ok", result: "1", workerPid: 1, cpuMs: 0.5, ms: 1 };
const waits = { outcome: "waiting", open: [1, 2], cpuMs: 0, ms: 0 };
const failed = { outcome: "script_threw", failure: { name: "Error", message: "m", stack: "s", call: 3 }, detail: "$.a", cpuMs: 0, ms: 0 };
const line = { frame: "line", invocation: "i", level: "log", text: "t" };
const call = { frame: "call", invocation: "i", call: 1, operation: "echo", name: "n", input: "1", seen: [{ timer: 1 }, { answer: 2 }] };
const unnamed = { ...call, name: null, seen: [] };
const module = { frame: "module", digest: `sha256:${"a".repeat(64)}`, text: "export {};" };
const answer = { frame: "answer", invocation: "i", call: 1, text: "{}", at: 1 };

type Parse = (value: unknown) => unknown;
const CASES: readonly (readonly [string, Parse, readonly object[]])[] = [
  [
    "engine to supervisor",
    parseToSupervisor,
    [
      { frame: "hello", protocol: 1 },
      { frame: "invoke", tenant: "t", ...work },
      { frame: "invoke", tenant: "t", ...rich },
      module,
      { frame: "cancel", invocation: "i" },
      { frame: "draining" },
      answer,
    ],
  ],
  [
    "supervisor to engine",
    parseFromSupervisor,
    [
      { frame: "hello", protocol: 1, layers: ["jitless"] },
      { frame: "draining" },
      { frame: "begun", invocation: "i" },
      { frame: "outcome", invocation: "i", outcome },
      { frame: "outcome", invocation: "i", outcome: failed },
      { frame: "outcome", invocation: "i", outcome: waits },
      line,
      call,
      unnamed,
    ],
  ],
  ["supervisor to worker", parseToWorker, [module, { frame: "run", ...work }, { frame: "run", ...rich }, answer]],
  [
    "worker to supervisor",
    parseFromWorker,
    [{ frame: "ready" }, { frame: "returned", invocation: "i" }, { frame: "outcome", invocation: "i", outcome }, line, call],
  ],
];

/** Every object inside a frame, as a path and a way to change a copy of it. */
function objectsIn(value: object, path = "frame"): readonly string[] {
  const inner = Object.entries(value).filter(([, part]) => typeof part === "object" && part !== null && !Array.isArray(part));
  return [path, ...inner.flatMap(([name, part]) => objectsIn(part, `${path}.${name}`))];
}
function changed(frame: object, path: string, change: (part: Record<string, unknown>) => void): unknown {
  const copy = structuredClone(frame) as Record<string, unknown>;
  const part = path
    .split(".")
    .slice(1)
    .reduce((at, name) => at[name] as Record<string, unknown>, copy);
  change(part);
  return copy;
}

for (const [direction, parse, frames] of CASES) {
  test(`${direction}: good frames pass`, () => {
    for (const frame of frames) assert.deepEqual(parse(JSON.parse(JSON.stringify(frame))), frame);
  });

  test(`${direction}: an unknown field anywhere is refused, __proto__ too`, () => {
    for (const frame of frames) {
      for (const path of objectsIn(frame)) {
        assert.throws(() => parse(changed(frame, path, (part) => Object.assign(part, { more: 1 }))), FrameFault, path);
        const trap = changed(frame, path, (part) => Object.defineProperty(part, "__proto__", { value: {}, enumerable: true }));
        assert.throws(() => parse(JSON.parse(JSON.stringify(trap))), FrameFault, path);
      }
    }
  });

  test(`${direction}: each field is needed or known to be optional, and its type is held to`, () => {
    const optional = new Set([
      ...["operations", "secrets", "journal", "parkAfterMs", "result", "failure", "retryAfterMs", "detail", "workerPid", "open", "KEY"],
      ...["props", "lifecycle", "notification", "modules"],
    ]);
    const leftOut = (path: string, name: string): boolean => optional.has(name) || `${path}.${name}` === "frame.outcome.failure.call";
    for (const frame of frames) {
      for (const path of objectsIn(frame)) {
        const part = path
          .split(".")
          .slice(1)
          .reduce((at, name) => at[name] as Record<string, unknown>, frame as Record<string, unknown>);
        for (const name of Object.keys(part)) {
          for (const wrong of [null, true, [[]], { a: 1 }, typeof part[name] === "number" ? "1" : 1]) {
            if (`${path}.${name}` === "frame.name" && wrong === null) continue;
            assert.throws(
              () => parse(changed(frame, path, (copy) => (copy[name] = wrong))),
              FrameFault,
              `${path}.${name} = ${JSON.stringify(wrong)}`,
            );
          }
          const without = changed(frame, path, (copy) => delete copy[name]);
          if (leftOut(path, name)) parse(without);
          else assert.throws(() => parse(without), FrameFault, `${path} without ${name}`);
        }
      }
    }
  });
}

test("bounds are held to the last byte", () => {
  const invoke = (more: object) => parseToSupervisor({ frame: "invoke", tenant: "t", ...work, ...more });
  invoke({ script: { ...script, text: "x".repeat(BOUNDS.sourceBytes) } });
  assert.throws(() => invoke({ script: { ...script, text: "x".repeat(BOUNDS.sourceBytes + 1) } }), FrameFault);
  assert.throws(() => invoke({ script: { ...script, text: "é".repeat(BOUNDS.sourceBytes / 2 + 1) } }), FrameFault);
  assert.throws(() => invoke({ context: "x".repeat(BOUNDS.contextBytes + 1) }), FrameFault);
  for (const [name, most] of [
    ["props", BOUNDS.propsBytes],
    ["lifecycle", BOUNDS.bindingBytes],
    ["notification", BOUNDS.bindingBytes],
  ] as const) {
    invoke({ [name]: "x".repeat(most) });
    assert.throws(() => invoke({ [name]: "x".repeat(most + 1) }), FrameFault);
  }
  const imports = Array.from({ length: BOUNDS.modules + 1 }, (_, n) => ({ alias: `m${n}`, digest: module.digest }));
  invoke({ modules: imports.slice(1) });
  assert.throws(() => invoke({ modules: imports }), FrameFault);
  for (const modules of [
    [{ alias: "A", digest: module.digest }],
    [{ alias: "__proto__", digest: module.digest }],
    [{ alias: "a", digest: "sha256:0" }],
  ])
    assert.throws(() => invoke({ modules }), FrameFault);
  parseToWorker({ ...module, text: "x".repeat(BOUNDS.moduleBytes) });
  assert.throws(() => parseToWorker({ ...module, text: "x".repeat(BOUNDS.moduleBytes + 1) }), FrameFault);
  assert.ok(encode({ ...module, text: "\u0001".repeat(BOUNDS.moduleBytes) }, BOUNDS.frameBytes).length > 0);
  assert.throws(() => invoke({ limits: { ...DEFAULT_LIMITS, wallMs: Number.POSITIVE_INFINITY } }), FrameFault);
  assert.throws(() => invoke({ limits: { ...DEFAULT_LIMITS, heapMb: 4_096 } }), FrameFault);
  assert.throws(() => invoke({ tenant: "" }), FrameFault);
  const entries = Array.from({ length: BOUNDS.journalEntries }, () => ({ call: 1 }));
  invoke({ journal: entries });
  assert.throws(() => invoke({ journal: [...entries, { call: 1 }] }), FrameFault);
  for (const journal of [[{}], [{ call: 0 }], [{ call: 1, answer: 1 }], [{ timer: 1.5 }]])
    assert.throws(() => invoke({ journal }), FrameFault);
  for (const operations of [["a.b.c"], [".a"], ["a."], ["a b"], [""]]) assert.throws(() => invoke({ operations }), FrameFault);
  const handle = `woml_secret.${"0a".repeat(16)}.n.KEY.`;
  invoke({ secrets: Object.fromEntries(Array.from({ length: 64 }, (_, n) => [`K${n}`, handle])) });
  assert.throws(() => invoke({ secrets: Object.fromEntries(Array.from({ length: 65 }, (_, n) => [`K${n}`, handle])) }), FrameFault);
  for (const secrets of [{ KEY: "value" }, { "a b": handle }, JSON.parse(`{"__proto__":"${handle}"}`)])
    assert.throws(() => invoke({ secrets }), FrameFault);
  assert.throws(() => invoke({ startedAt: 1.5 }), FrameFault);
  assert.throws(() => invoke({ chance: { ...chance, math: "F".repeat(64) } }), FrameFault);
  const said = (more: object) => parseFromWorker({ ...call, ...more });
  said({ name: "é".repeat(128) });
  for (const name of ["", "x".repeat(129), "a\nb", "a\u2028b", "\ud800"])
    assert.throws(() => said({ name }), FrameFault, JSON.stringify(name));
  parseToWorker({ ...answer, text: "x".repeat(BOUNDS.answerBytes) });
  assert.throws(() => parseToWorker({ ...answer, text: "x".repeat(BOUNDS.answerBytes + 1) }), FrameFault);
});

test("what is no frame is refused", () => {
  for (const value of [null, 1, "hello", [], {}, { frame: "nothing" }, { frame: 1 }, { frame: "__proto__" }, { frame: "constructor" }]) {
    for (const [, parse] of CASES) assert.throws(() => parse(value), FrameFault);
  }
});
