import { called } from "@woml/engine/testing";
import type { Story } from "../stories.ts";

const step = (id: string): string => `<step id="${id}"><script>return 1;</script></step>`;
const branch = (id: string, ...ids: readonly string[]): string => `<branch id="${id}">${ids.map(step).join("")}</branch>`;
const fork = (join: string): string =>
  `${step("a")}<fork id="f" join="${join}">${branch("left", "b", "c")}${branch("right", "d")}</fork>${step("e")}`;
const pay = called("keyed", { name: "pay", inputDigest: "five", input: { amount: 5 } });

export const FORKS: Readonly<Record<string, Story>> = {
  "fork-joins-all": {
    steps: fork("all"),
    tell: (play) => {
      play.admit();
      play.ok("a");
      play.wait(3).ok("b");
      play.ok("d", { d: 1 });
      play.wait(2).ok("c");
      play.ok("e", "done");
    },
  },
  "fork-joins-one-and-the-other-ends-later": {
    steps: fork("left"),
    tell: (play) => {
      play.admit();
      play.ok("a");
      play.ok("b");
      play.ok("c");
      play.wait(9).ok("e", "done");
      play.wait(50).ok("d");
    },
  },
  "fork-joins-one-and-the-other-fails": {
    steps: fork("left"),
    tell: (play) => {
      play.admit();
      play.ok("a");
      play.bad("d");
      play.ok("b");
      play.ok("c");
      play.ok("e", "done");
    },
  },
  "fork-joined-branch-fails": {
    steps: fork("all"),
    tell: (play) => {
      play.admit();
      play.ok("a");
      play.bad("b");
      play.wait(9).ok("d");
    },
  },
  "fork-joins-none": {
    steps: fork("none"),
    tell: (play) => {
      play.admit();
      play.ok("a");
      play.ok("e", "done");
      play.lose("b", "engine");
      play.ok("d");
      play.ok("b");
      play.ok("c");
    },
  },
  "fork-main-route-fails-while-branches-go-on": {
    steps: fork("none"),
    tell: (play) => {
      play.admit();
      play.ok("a");
      play.bad("e");
      play.ok("d");
      play.ok("b");
      play.ok("c");
    },
  },
  "fork-cancelled-beside-an-operation": {
    steps: fork("all"),
    tell: (play) => {
      play.admit();
      play.ok("a");
      play.call("d", pay);
      play.wait(5).cancel();
      play.wait(5).gave("d", 1);
    },
  },
  "fork-timed-out": {
    steps: fork("all"),
    around: '<config timeout="1m"/>',
    tell: (play) => {
      play.admit();
      play.ok("a");
      play.ok("d");
      play.wait(60_000).fire();
    },
  },
};
