import { called, type Play } from "@woml/engine/testing";
import type { Json } from "@woml/model";
import type { Story } from "../stories.ts";

const step = (id: string, more = ""): string => `<step id="${id}"${more}><script>return 1;</script></step>`;
const retried = ' retry="2" retry-backoff="fixed" retry-delay="1s"';
const loop = (more = ""): string =>
  `<for-each id="all" items="{{context.payload.items}}"${more}>${step("one", retried)}${step("two")}<result value="{{context.steps.two}}"/></for-each>`;
const inBranch = `<fork id="f"><branch id="left">${loop(' concurrency="2"')}</branch><branch id="right">${step("d")}</branch></fork>${step("e")}`;
const pay = called("keyed", { name: "pay", inputDigest: "five", input: { amount: 5 } });
const admit = (play: Play, items: Json): void => void play.admit({ items });

export const LOOPS: Readonly<Record<string, Story>> = {
  "loop-one-after-the-other": {
    steps: loop(),
    tell: (play) => {
      admit(play, ["x", "y"]);
      for (const index of [0, 1]) {
        play.ok(`one#${index}`);
        play.wait(2).ok(`two#${index}`, { index });
      }
    },
  },
  "loop-results-come-in-another-order": {
    steps: loop(' concurrency="2"'),
    tell: (play) => {
      admit(play, ["x", "y", "z"]);
      play.ok("one#1");
      play.ok("one#0");
      play.ok("two#1", "second");
      play.wait(7).ok("one#2");
      play.ok("two#2", "third");
      play.ok("two#0", "first");
    },
  },
  "loop-retries": {
    steps: loop(' concurrency="2"'),
    tell: (play) => {
      admit(play, ["x", "y"]);
      play.bad("one#0");
      play.ok("one#1");
      play.ok("two#1");
      play.wait(1_000).fire();
      play.ok("one#0");
      play.ok("two#0");
    },
  },
  "loop-fails-while-another-goes-on": {
    steps: loop(' concurrency="2"'),
    tell: (play) => {
      admit(play, ["x", "y", "z", "w"]);
      play.ok("one#0");
      play.bad("two#0");
      play.wait(3).ok("one#1");
      play.ok("two#1");
    },
  },
  "loop-of-nothing": { steps: loop(), tell: (play) => admit(play, []) },
  "loop-over-no-list": { steps: loop(), tell: (play) => admit(play, "none") },
  "loop-in-a-branch": {
    steps: inBranch,
    tell: (play) => {
      admit(play, ["x"]);
      play.ok("d");
      play.lose("one#0", "worker");
      play.ok("one#0");
      play.ok("two#0");
      play.ok("e");
    },
  },
  "loop-cancelled-beside-an-operation": {
    steps: loop(' concurrency="2"'),
    tell: (play) => {
      admit(play, ["x", "y", "z"]);
      play.call("one#1", pay);
      play.wait(3).cancel();
      play.wait(3).gave("one#1", 1);
    },
  },
};
