import assert from "node:assert/strict";
import { test } from "node:test";
import { canonical, type Definition, type Json } from "../index.ts";
import { type Case, hook, play, read, reusable, say } from "./cases.ts";
import { cut, find, remove, step } from "./find.ts";
import { accepted } from "./given.ts";
import { whole } from "./whole.ts";

const FORK = "WOML_INVALID_FORK_GRAPH";
const APPROVAL = "WOML_INVALID_APPROVAL_GROUP";

const CASES: Record<string, readonly Case[]> = {
  "unique-node-ids": [
    [
      "a node of a body has the id of one outside",
      (g) => find(g, "for-each", "loop").body.nodes.push(step("a")),
      "WOML_DUPLICATE_NODE_ID /nodes/12/body/nodes/5/id",
    ],
  ],
  "unique-edges": [
    [
      "an edge of a body is there twice",
      (g) => find(g, "for-each", "loop").body.edges.push({ from: "one", to: "pick" }),
      "WOML_DUPLICATE_EDGE /nodes/12/body/edges/5",
    ],
  ],
  "known-endpoints": [
    [
      "an edge leads out of a body",
      (g) => find(g, "for-each", "loop").body.edges.push({ from: "a", to: "inner" }),
      "WOML_UNKNOWN_EDGE_ENDPOINT /nodes/12/body/edges/5/from",
    ],
    ["an edge leads into a body", (g) => g.edges.push({ from: "a", to: "inner" }), "WOML_UNKNOWN_EDGE_ENDPOINT /edges/15/to"],
  ],
  acyclic: [
    [
      "nodes of a body wait for each other",
      (g) => find(g, "for-each", "loop").body.edges.push({ from: "pick", to: "inner" }),
      "WOML_CYCLIC_GRAPH /nodes/12/body/nodes/0",
    ],
  ],
  "arm-edges": [
    ["an edge of a switch names no arm", (g) => g.edges.push({ from: "route:switch", to: "x" }), "WOML_INVALID_ARM_EDGE /edges/15"],
    [
      "an edge of an approval names another decision",
      (g) => g.edges.push({ from: "ok", to: "yes", arm: "postponed" }),
      "WOML_INVALID_ARM_EDGE /edges/15",
    ],
    ["an approval has one arm", (g) => cut(g, "ok", "ok:end"), "WOML_INVALID_ARM_EDGE /nodes/5"],
  ],
  "choice-pairs": [
    [
      "a choice is opened by an approval and a switch",
      (g) => {
        find(g, "switch", "route:switch").choice = "ok:end";
      },
      "WOML_INVALID_BRANCH_GROUP /nodes/4",
      "WOML_INVALID_BRANCH_GROUP /nodes/7",
    ],
    [
      "an arm of a switch is empty",
      (g) => remove(g, "y") ?? g.edges.push({ from: "route:switch", to: "route", arm: "default" }),
      "WOML_INVALID_BRANCH_GROUP /edges/13",
    ],
  ],
  "choice-results": [
    [
      "a switch has a result for one arm",
      (g) => {
        find(g, "choice", "route").results = [
          { arm: "case-1", value: ["steps", "x"] },
          { arm: "case-1", value: ["steps", "x"] },
        ];
      },
      "WOML_INVALID_BRANCH_RESULT /nodes/4/results",
      "WOML_INVALID_BRANCH_RESULT /nodes/4/results/1/arm",
    ],
  ],
  "control-choices": [
    [
      "a choice without results has a name",
      (g) => {
        find(g, "choice", "route").name = "Route";
      },
      "WOML_INVALID_CONTROL_CHOICE /nodes/4/name",
    ],
    [
      "the end of an approval has a description",
      (g) => {
        find(g, "choice", "ok:end").description = "The end";
      },
      "WOML_INVALID_CONTROL_CHOICE /nodes/7/description",
    ],
  ],
  "distinct-cases": [
    [
      "two arms stand for one text",
      (g) => {
        find(g, "switch", "route:switch").arms.push({ arm: "case-2", equals: "x" });
        g.nodes.push(step("z"));
        g.edges.push({ from: "route:switch", to: "z", arm: "case-2" }, { from: "z", to: "route" });
      },
      "WOML_INVALID_BRANCH_SELECTOR /nodes/1/arms/1/equals",
    ],
  ],
  "parallel-groups": [
    [
      "more are to run at a time than there are",
      (g) => {
        g.nodes.push({ kind: "open", id: "p:open", parallel: "p" }, step("c1"), { kind: "parallel", id: "p", concurrency: 2 });
        g.edges.push({ from: "p:open", to: "c1" }, { from: "c1", to: "p" });
      },
      "WOML_INVALID_PARALLEL_GROUP /nodes/15/concurrency",
    ],
  ],
  "fork-groups": [
    [
      "a fork has no join",
      (g) => {
        find(g, "fork", "f:fork").join = "a";
      },
      `${FORK} /edges/12`,
      `${FORK} /nodes/8/join`,
      `${FORK} /nodes/11`,
    ],
    [
      "a join has two forks",
      (g) => g.nodes.push({ kind: "fork", id: "g:fork", join: "f" }),
      `${FORK} /nodes/11`,
      `${FORK} /nodes/11/branches/0`,
      `${FORK} /nodes/13`,
      `${FORK} /nodes/13`,
    ],
    ["no edge leads straight to the join", (g) => cut(g, "f:fork", "f"), `${FORK} /nodes/8`],
    ["a branch is empty", (g) => g.edges.push({ from: "f:fork", to: "f", arm: "third" }), `${FORK} /edges/15`],
    ["an edge names no branch", (g) => g.nodes.push(step("b3")) && g.edges.push({ from: "f:fork", to: "b3" }), `${FORK} /edges/15`],
    [
      "a branch has the word of a join",
      (g) => {
        for (const edge of g.edges) if (edge.arm === "second") edge.arm = "none";
      },
      `${FORK} /nodes/8`,
    ],
    ["a join waits for no branch of its fork", (g) => find(g, "join", "f").branches.push("third"), `${FORK} /nodes/11/branches/1`],
  ],
  "fork-branches": [
    ["a branch that is not joined leads to the join", (g) => g.edges.push({ from: "b2", to: "f" }), `${FORK} /edges/15`],
    [
      "a fork stands in a branch",
      (g) => {
        g.nodes.push({ kind: "fork", id: "g:fork", join: "g" }, step("b3"), { kind: "join", id: "g", branches: [] });
        g.edges.push({ from: "b2", to: "g:fork" }, { from: "g:fork", to: "b3", arm: "deep" }, { from: "g:fork", to: "g" });
      },
      `${FORK} /nodes/13`,
    ],
  ],
  "closed-arms": [
    ["a branch is entered from outside", (g) => g.edges.push({ from: "a", to: "b2" }), "WOML_INVALID_BRANCH_GROUP /edges/15"],
    ["a branch is left past its join", (g) => g.edges.push({ from: "b1", to: "loop" }), "WOML_INVALID_BRANCH_GROUP /edges/15"],
    ["one branch leads into another", (g) => g.edges.push({ from: "b1", to: "b2" }), "WOML_INVALID_BRANCH_GROUP /edges/11"],
    ["an arm of an approval is left past its end", (g) => g.edges.push({ from: "yes", to: "loop" }), "WOML_INVALID_BRANCH_GROUP /edges/15"],
    ["a stranger leads to the join", (g) => g.edges.push({ from: "a", to: "f" }), "WOML_INVALID_BRANCH_GROUP /edges/15"],
  ],
  "no-dead-end": [
    [
      "a joined branch leads nowhere",
      (g) => g.nodes.push(step("b3")) && g.edges.push({ from: "b1", to: "b3" }),
      "WOML_DEAD_END_NODE /nodes/13",
    ],
  ],
  "approval-groups": [
    [
      "an approval has no end",
      (g) => {
        find(g, "approval", "ok").choice = "f";
      },
      `${APPROVAL} /nodes/5/choice`,
      "WOML_INVALID_BRANCH_GROUP /nodes/7",
      `${FORK} /nodes/11`,
    ],
    [
      "the end of an approval has results",
      (g) => {
        find(g, "choice", "ok:end").results = [
          { arm: "approved", value: ["payload"] },
          { arm: "rejected", value: ["payload"] },
        ];
      },
      `${APPROVAL} /nodes/7/results`,
    ],
    ["nothing is said of what follows a time-out", (g) => delete find(g, "approval", "ok").onTimeout, `${APPROVAL} /nodes/5/timeoutMs`],
    ["what follows a time-out is said of none", (g) => delete find(g, "approval", "ok").timeoutMs, `${APPROVAL} /nodes/5/onTimeout`],
  ],
  "single-file": [
    [
      "a body runs two nodes side by side",
      (g) => {
        const { nodes, edges } = find(g, "for-each", "loop").body;
        nodes.push(step("beside"));
        edges.push({ from: "one", to: "beside" }, { from: "beside", to: "pick" });
      },
      "WOML_INVALID_FOR_EACH /nodes/12/body/edges/3",
    ],
    [
      "an arm in a body begins in two places",
      (g) => {
        const { nodes, edges } = find(g, "for-each", "loop").body;
        nodes.push(step("two2"));
        edges.push({ from: "pick:select", to: "two2", arm: "otherwise" }, { from: "two2", to: "pick" });
      },
      "WOML_INVALID_FOR_EACH /nodes/12/body/edges/5",
    ],
    [
      "a branch begins in two places",
      (g) => {
        g.nodes.push(step("b3"));
        g.edges.push({ from: "f:fork", to: "b3", arm: "second" });
      },
      `${FORK} /edges/15`,
    ],
    [
      "a branch runs two nodes side by side, in an arm of an approval",
      (g) => {
        g.nodes.push({ kind: "approval", id: "sure", choice: "sure:end" }, step("s1"), step("s2"), step("s3"));
        g.nodes.push({ kind: "choice", id: "sure:end" });
        g.edges.push(
          { from: "b2", to: "sure" },
          { from: "sure", to: "s1", arm: "approved" },
          { from: "sure", to: "sure:end", arm: "rejected" },
        );
        g.edges.push({ from: "s1", to: "s2" }, { from: "s1", to: "s3" }, { from: "s2", to: "sure:end" }, { from: "s3", to: "sure:end" });
      },
      `${FORK} /edges/19`,
    ],
  ],
  "loop-bodies": [
    [
      "a body begins in two places and ends in two",
      (g) => find(g, "for-each", "loop").body.nodes.push(step("loose")),
      "WOML_INVALID_FOR_EACH /nodes/12/body",
      "WOML_INVALID_FOR_EACH /nodes/12/body",
    ],
  ],
  "known-references": [
    [
      "a node outside reads an item",
      (g) => {
        find(g, "switch", "route:switch").value = ["item"];
      },
      "WOML_INVALID_REFERENCE /nodes/1/value",
    ],
    [
      "a body reads what an iteration does not have",
      (g) => {
        find(g, "for-each", "loop").result = ["iteration", "last"];
      },
      "WOML_INVALID_REFERENCE /nodes/12/result",
    ],
    [
      "a loop reads a choice without results",
      (g) => {
        find(g, "for-each", "loop").items = ["steps", "route"];
      },
      "WOML_UNKNOWN_REFERENCE /nodes/12/items",
    ],
    [
      "a node outside reads the body of a loop",
      (g) => {
        find(g, "step", "b2").script.needs = { payload: false, steps: ["inner"] };
      },
      "WOML_UNKNOWN_REFERENCE /nodes/10/script/needs/steps/0",
    ],
    [
      "a hook reads no node",
      (g) => {
        hook(g, 1).actions = [{ kind: "script", script: { source: "", needs: { payload: false, steps: ["nobody"] } } }];
      },
      "WOML_UNKNOWN_REFERENCE /lifecycle/1/actions/0/script/needs/steps/0",
    ],
  ],
  "dominated-reference": [
    [
      "a loop reads a branch that is not joined",
      (g) => {
        find(g, "for-each", "loop").items = ["steps", "b2"];
      },
      "WOML_REFERENCE_NOT_DOMINATING /nodes/12/items",
    ],
    [
      "a loop reads the arm of an approval",
      (g) => {
        find(g, "for-each", "loop").items = ["steps", "yes"];
      },
      "WOML_REFERENCE_NOT_DOMINATING /nodes/12/items",
    ],
    [
      "a branch reads its sibling",
      (g) => {
        find(g, "step", "b2").script.needs = { payload: false, steps: ["b1"] };
      },
      "WOML_REFERENCE_NOT_DOMINATING /nodes/10/script/needs/steps/0",
    ],
    [
      "an approval's notice reads the approval",
      (g) => {
        const [notice] = find(g, "approval", "ok").notices ?? [];
        if (notice?.provider === "custom") notice.reusable.props.push({ name: "ok", value: { kind: "reference", path: ["steps", "ok"] } });
      },
      "WOML_REFERENCE_NOT_DOMINATING /nodes/5/notices/0/reusable/props/1/value/path",
    ],
    [
      "a prop reads what comes later",
      (g) => reusable(g).props.push({ name: "later", value: { kind: "reference", path: ["steps", "b1"] } }),
      "WOML_REFERENCE_NOT_DOMINATING /nodes/0/reusable/props/2/value/path",
    ],
    [
      "the result of a loop reads an arm of its body",
      (g) => {
        find(g, "for-each", "loop").result = ["steps", "one"];
      },
      "WOML_REFERENCE_NOT_DOMINATING /nodes/12/result",
    ],
    [
      "a body reads its own loop",
      (g) => {
        find(g, "step", "inner").script.needs = { payload: false, steps: ["loop"] };
      },
      "WOML_REFERENCE_NOT_DOMINATING /nodes/12/body/nodes/0/script/needs/steps/0",
    ],
  ],
  "result-exists": [
    ["the result stands in the body of a loop", (g) => Object.assign(g, { result: "inner" }), "WOML_INVALID_RESULT_NODE /result"],
    ["the result is a choice without results", (g) => Object.assign(g, { result: "route" }), "WOML_INVALID_RESULT_NODE /result"],
  ],
  "result-certain": [["the result stands in a branch", (g) => Object.assign(g, { result: "b1" }), "WOML_INVALID_RESULT_NODE /result"]],
};

play(CASES);

test("legal: every kind at once, and the order of what has none means nothing", () => {
  const given = whole();
  const turned = JSON.parse(JSON.stringify(whole())) as Definition;
  for (const list of [turned.nodes, turned.edges, turned.lifecycle ?? [], find(turned, "for-each", "loop").body.nodes]) list.reverse();
  for (const list of [reusable(turned).props, hook(turned, 1).steps ?? [], turned.modules?.[0]?.exports ?? []]) list.reverse();
  for (const trigger of turned.triggers) if (trigger.kind === "slack") trigger.events.reverse();
  assert.equal(canonical(accepted(turned) as Json), canonical(accepted(given) as Json));
});

test("legal: a fork that joins nothing, in an arm; approvals with two empty arms; hooks told of everything they may be", () => {
  const given = whole();
  find(given, "join", "f").branches = [];
  cut(given, "b1", "f");
  find(given, "for-each", "loop").items = ["payload", "list"];
  find(given, "step", "inner").script = { source: "" };
  remove(given, "yes");
  given.edges.push({ from: "ok", to: "ok:end", arm: "approved" });
  const words = ["event", "workflow.id", "workflow.outcome", "step.id", "step.outcome", "step.attempts", "failure.code", "failure.message"];
  say(given, ...words.map((word) => read("lifecycle", ...word.split("."))), read("payload", "id"), read("steps", "inner", "id"));
  given.nodes.push({ kind: "fork", id: "g:fork", join: "g" }, step("g1"), { kind: "join", id: "g", branches: [] });
  cut(given, "x", "route");
  given.edges.push(
    { from: "x", to: "g:fork" },
    { from: "g:fork", to: "g1", arm: "side" },
    { from: "g:fork", to: "g" },
    { from: "g", to: "route" },
  );
  accepted(given);
});
