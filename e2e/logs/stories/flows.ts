import { called } from "@woml/engine/testing";
import type { Story } from "../stories.ts";

const script = "<script>return 1;</script>";
const step = (id: string, more = ""): string => `<step id="${id}"${more}>${script}</step>`;
const group = (more: string): string =>
  `<parallel id="p"${more}>${step("a")}${step("b", ' retry="2" retry-delay="1s"')}${step("c")}</parallel>`;
const all = `${group(' concurrency="2" on-error="wait-all"')}${step("d")}`;
const fast = `${group("")}${step("d")}`;
const routed = `${step("a")}<switch id="route" value="{{context.steps.a}}">
  <case value="x">${step("b")}<result value="{{context.steps.b}}"/></case>
  <default>${step("c")}<result value="{{context.steps.c}}"/></default>
</switch>`;
const bare = `${step("a")}<choose><when test="{{context.steps.a}}">${step("b")}</when><otherwise>${step("c")}</otherwise></choose>${step("d")}`;
const pay = called("unsafe", { name: "pay", inputDigest: "five", input: { amount: 5 } });

export const FLOWS: Readonly<Record<string, Story>> = {
  "parallel-waits-for-all": {
    steps: all,
    tell: (play) => {
      play.admit();
      play.wait(3).bad("a");
      play.wait(2).ok("b", { n: 2 });
      play.ok("c");
    },
  },
  "parallel-waits-for-all-and-retries": {
    steps: all,
    tell: (play) => {
      play.admit();
      play.bad("b");
      play.ok("a");
      play.wait(1_000).fire();
      play.ok("c");
      play.ok("b", "second");
      play.ok("d", "done");
    },
  },
  "parallel-fails-fast-beside-an-operation": {
    steps: fast,
    tell: (play) => {
      play.admit();
      play.call("b", pay);
      play.wait(3).bad("a");
      play.wait(8).gave("b", 1, { paid: true });
    },
  },
  "switch-takes-a-case": {
    steps: routed,
    tell: (play) => {
      play.admit();
      play.ok("a", "x");
      play.ok("b", { taken: true });
    },
  },
  "switch-falls-back": {
    steps: routed,
    tell: (play) => {
      play.admit();
      play.ok("a", "X");
      play.ok("c", null);
    },
  },
  "switch-of-no-text": {
    steps: routed,
    tell: (play) => {
      play.admit();
      play.ok("a", 7);
    },
  },
  "choose-without-id": {
    steps: bare,
    tell: (play) => {
      play.admit();
      play.ok("a", true);
      play.wait(4).ok("b", "seen by nobody");
      play.ok("d", 4);
    },
  },
  "choose-without-id-cancelled": {
    steps: bare,
    tell: (play) => {
      play.admit();
      play.ok("a", false);
      play.wait(4).cancel();
    },
  },
};
