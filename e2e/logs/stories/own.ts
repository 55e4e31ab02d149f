import { called, Play } from "@woml/engine/testing";
import { asRunId, type Called, foldAll, inherit, remembering } from "@woml/run";
import type { Story } from "../stories.ts";

const step = (id: string): string => `<step id="${id}"><script>return 1;</script></step>`;
const FIRST = asRunId("00000000-0000-7000-8000-000000000001");
const CHILD = asRunId("00000000-0000-7000-8000-000000000002");
const VERSION = `sha256:${"0".repeat(64)}`;
const DECLINED = { code: "CARD_DECLINED", message: "no", retryable: false, ambiguous: false };
const chain = `${step("a")}${step("b")}`;

const counting: Called = {
  ...called("keyed", { name: "count", inputDigest: "one", input: { key: "n", by: 1 } }),
  ...{ capability: "state", operation: "increment", release: "builtin:state@1" },
};
const asking = (operation: "call" | "start"): Called => ({
  ...called("keyed", {
    name: "ask",
    inputDigest: "child",
    input: { id: "child", payload: {} },
    timeoutMs: operation === "call" ? 60_000 : 0,
  }),
  ...{ capability: "workflows", operation, release: "builtin:workflows@1", child: { run: CHILD, version: VERSION } },
});
const asks = (play: Play, operation: "call" | "start"): void => {
  const target = { version: VERSION, waits: false };
  const drawn = { of: "workflows", run: CHILD, stored: null, digest: "d", target, reached: null } as const;
  play.call("a", asking(operation), { asked: { called: asking(operation), drawn } });
};

export const OWN: Readonly<Record<string, Story>> = {
  "state-counted": {
    steps: chain,
    tell: (play) => {
      play.admit();
      const entry = { value: 3, version: 4, bytes: 2, keys: 1, totalBytes: 2, floor: 0 };
      play.call("a", counting, { asked: { called: counting, drawn: { of: "state", entry } } });
      play.ok("a", 4);
      play.ok("b");
    },
  },
  "workflow-called": {
    steps: chain,
    tell: (play) => {
      play.admit();
      asks(play, "call");
      play.wait(200).park("a");
      play.wait(900).do({ kind: "report_child", child: CHILD, ended: { status: "succeeded", result: 7 } });
      play.ok("a", 7);
      play.ok("b");
    },
  },
  "workflow-called-for-too-long": {
    steps: chain,
    tell: (play) => {
      play.admit();
      asks(play, "call");
      play.wait(200).park("a");
      play.wait(60_000).fire();
      play.threw("a", 1);
    },
  },
  "workflow-started": {
    steps: chain,
    tell: (play) => {
      play.admit();
      asks(play, "start");
      play.ok("a");
      play.ok("b");
    },
  },
  "resumed-behind-a-charge": {
    steps: chain,
    tell: (play) => {
      const paid = called("unsafe", { name: "pay", inputDigest: "five", input: { amount: 5 } });
      resume(play, (before) => {
        before.call("b", paid);
        before.gave("b", 1, "charged");
      });
      play.call("b", paid);
      play.ok("b", "done");
    },
  },
  "resumed-behind-a-refusal": {
    steps: chain,
    tell: (play) => {
      const paid = called("keyed", { name: "pay", inputDigest: "five", input: { amount: 5 } });
      resume(play, (before) => {
        before.call("b", paid);
        before.said("b", 1, { status: "failed", failure: DECLINED, evidence: "it said so" });
      });
      play.wait(300).call("b", paid);
      play.wait(500).said("b", 1, { status: "lost", detail: "its host is gone" });
      play.wait(200).gave("b", 1, "charged");
      play.ok("b", "done");
    },
  },
};

/** A run that begins again with the step that failed in another, behind what it had called there. */
function resume(play: Play, call: (before: Play) => void): void {
  const before = new Play(play.graph.definition);
  before.admit();
  before.ok("a", "A");
  call(before);
  before.bad("b");
  const taken = inherit(before.graph, foldAll(before.log, remembering), { run: FIRST, from: "b" });
  const { admitted } = before.state;
  if ("fault" in taken || admitted === null) throw new Error("it cannot be resumed");
  const { workflow, version, trigger, labels, seed, payload } = admitted;
  play.do({ kind: "admit_run", workflow, version, trigger, labels, seed, payload, resumed: { run: FIRST, ...taken, origin: FIRST } });
}
