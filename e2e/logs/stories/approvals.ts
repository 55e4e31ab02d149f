import type { Play } from "@woml/engine/testing";
import type { Story } from "../stories.ts";

const step = (id: string): string => `<step id="${id}"><script>return 1;</script></step>`;
const approval = (more = ""): string =>
  `${step("a")}<approval id="ok"${more}><when-approved>${step("b")}</when-approved><when-rejected>${step("c")}</when-rejected></approval>${step("d")}`;
const decide = (play: Play, decision: "approved" | "rejected"): void =>
  void play.do({ kind: "resolve_approval", node: "ok", decision, by: "key_1", askedAt: play.now });

export const APPROVALS: Readonly<Record<string, Story>> = {
  "approval-approved": {
    steps: approval(),
    tell: (play) => {
      play.admit();
      play.ok("a");
      play.wait(90_000);
      decide(play, "approved");
      decide(play, "rejected");
      play.ok("b");
      play.ok("d", "done");
    },
  },
  "approval-rejected": {
    steps: approval(),
    tell: (play) => {
      play.admit();
      play.ok("a");
      play.wait(7);
      decide(play, "rejected");
      play.ok("c");
      play.ok("d", "done");
    },
  },
  "approval-timed-out-rejects": {
    steps: approval(' timeout="1h" on-timeout="reject"'),
    tell: (play) => {
      play.admit();
      play.ok("a");
      play.wait(3_600_000).fire();
      decide(play, "approved");
      play.ok("c");
      play.ok("d", "done");
    },
  },
  "approval-timed-out-fails": {
    steps: approval(' timeout="1h"'),
    tell: (play) => {
      play.admit();
      play.ok("a");
      play.wait(3_600_001).fire();
    },
  },
  "approval-cancelled": {
    steps: approval(),
    tell: (play) => {
      play.admit();
      play.ok("a");
      play.wait(5).cancel();
    },
  },
  "approvals-in-two-branches": {
    steps: `<fork id="f" join="right"><branch id="left">${approval(' timeout="1h"')}</branch><branch id="right">${step("e")}</branch></fork>${step("g")}`,
    tell: (play) => {
      play.admit();
      play.ok("a");
      play.ok("e");
      play.ok("g", "done");
      play.wait(100);
      decide(play, "approved");
      play.ok("b");
      play.ok("d");
    },
  },
};
