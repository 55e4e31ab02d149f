import { called } from "@woml/engine/testing";
import type { Definition, Node, Notice, Reusable } from "@woml/model";
import type { Story } from "../stories.ts";

const step = (id: string, more = ""): string => `<step id="${id}"${more}><script>return 1;</script></step>`;
const hook = (on: string, count = 1): string => `<${on}>${"<script>return 1;</script>".repeat(count)}</${on}>`;
const lifecycle = (...hooks: readonly string[]): string => `<lifecycle>${hooks.join("")}</lifecycle>`;
const chain = `${step("a")}${step("b")}`;
const pay = called("unsafe", { name: "pay", inputDigest: "five", input: { amount: 5 } });

const script = { source: "return 1;" };
const pager: Notice = { provider: "custom", script, reusable: { props: [] } };
const changed =
  (id: string, change: (node: Node) => Node) =>
  (definition: Definition): Definition => ({
    ...definition,
    nodes: definition.nodes.map((node) => (node.id === id ? change(node) : node)),
  });
const reused = (own: Omit<Reusable, "props">) =>
  changed("a", (node) => (node.kind === "step" ? { ...node, reusable: { props: [], ...own } } : node));
const told = (...notices: Notice[]) => changed("ok", (node) => (node.kind === "approval" ? { ...node, notices } : node));
const asks = `<approval id="ok" timeout="1h"><when-approved>${step("a")}</when-approved><when-rejected/></approval>${step("b")}`;

export const OBSERVED: Readonly<Record<string, Story>> = {
  "hooks-around-a-success": {
    steps: chain,
    around: lifecycle(hook("on-start"), hook("on-step-start"), hook("on-step-success", 2), hook("on-success"), hook("on-complete")),
    tell: (play) => {
      play.admit();
      play.wait(2).ok("@run_start/1");
      play.ok("@step_start/a/1");
      play.ok("a");
      play.ok("@step_start/b/1");
      play.wait(3).bad("@step_success/a/1");
      play.ok("b", "done");
      play.ok("@step_success/a/2");
      play.ok("@step_success/b/1");
      play.ok("@step_success/b/2");
      play.lose("@run_success/1", "engine");
      play.ok("@run_success/1");
      play.wait(4).ok("@run_complete/1");
    },
  },
  "hooks-of-a-failure": {
    steps: `${step("a", ' retry="2" retry-delay="1s"')}${step("b")}`,
    around: lifecycle(hook("on-step-failure"), hook("on-step-complete"), hook("on-error"), hook("on-complete")),
    tell: (play) => {
      play.admit();
      play.bad("a");
      play.wait(1_000).fire();
      play.bad("a");
      play.ok("@step_failure/a/1");
      play.ok("@step_complete/a/1");
      play.bad("@run_failure/1");
      play.ok("@run_complete/1");
    },
  },
  "hooks-of-a-cancel": {
    steps: chain,
    around: lifecycle(hook("on-step-start"), hook("on-cancel")),
    tell: (play) => {
      play.admit();
      play.wait(2).cancel();
      play.ok("@run_cancel/1");
    },
  },
  "hook-of-unknown-outcome": {
    steps: chain,
    around: lifecycle(hook("on-step-success")),
    tell: (play) => {
      play.admit();
      play.ok("a");
      play.call("@step_success/a/1", pay);
      play.said("@step_success/a/1", 1, { status: "lost", detail: "nobody knows it" });
      play.threw("@step_success/a/1", 1);
      play.ok("b");
      play.ok("@step_success/b/1");
    },
  },
  "own-lifecycle": {
    steps: chain,
    more: reused({ onSuccess: [script], onComplete: [script] }),
    tell: (play) => {
      play.admit();
      play.ok("a");
      play.ok("@use_success/a/1");
      play.ok("b");
      play.bad("@use_complete/a/1");
    },
  },
  "notices-delivered-and-approved": {
    steps: asks,
    more: told(pager, pager),
    tell: (play) => {
      play.admit();
      play.ok("@notice/ok/1", { messageId: "m1" });
      play.bad("@notice/ok/2");
      play.do({ kind: "resolve_approval", node: "ok", decision: "approved", by: "token", askedAt: play.now });
      play.wait(1_000).fire();
      play.ok("@notice/ok/2", { messageId: "m2" });
      play.ok("a");
      play.ok("b");
    },
  },
  "notices-undelivered": {
    steps: asks,
    more: told(pager),
    tell: (play) => {
      play.admit();
      play.bad("@notice/ok/1");
      play.wait(1_000).fire();
      play.bad("@notice/ok/1");
      play.wait(5_000).fire();
      play.bad("@notice/ok/1");
    },
  },
};
