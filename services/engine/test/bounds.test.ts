// The sizes of what goes to scripts and operations, and of what comes back: to the last byte, and one past it.
import assert from "node:assert/strict";
import { it } from "node:test";
import type { RunId } from "@woml/run";
import { CONTEXT_BYTES, NAME_CHARACTERS, OPERATION_BYTES } from "../bounds.ts";
import { Identities } from "../perform/identity.ts";
import { saidOfDispatch, saidOfProvider } from "../perform/said.ts";
import { chain, digest, Stage, step } from "./stage.ts";

it("a context of exactly the limit is sent; with one character more nothing is, and the attempt says size and limit", async () => {
  const stage = new Stage();
  await stage.start();
  const script = { source: "return context.payload;", needs: { payload: true, steps: [] } };
  const version = stage.publish(chain(step("a", { script })));
  // The payload stands there twice, the second time under its older word.
  const empty = JSON.stringify({ payload: { x: "" }, trigger: { x: "" }, steps: {} }).length;
  assert.equal((CONTEXT_BYTES - empty) % 2, 0);
  const codeOf = async (characters: number): Promise<unknown> => {
    const key = stage.ask(version, { x: "x".repeat(characters) });
    await stage.wait(100);
    const last = stage.run(key).events.at(-1);
    return last?.type === "run_failed" ? [last.data.failure.code, last.data.failure.message] : last?.type;
  };
  assert.equal(await codeOf((CONTEXT_BYTES - empty) / 2), "run_succeeded");
  const size = CONTEXT_BYTES + 2;
  assert.deepEqual(await codeOf((CONTEXT_BYTES - empty) / 2 + 1), [
    "WOML_SCRIPT_CONTEXT_TOO_LARGE",
    `What this script is given has ${size} bytes, more than ${CONTEXT_BYTES}.`,
  ]);
});

/** JSON of so many bytes, of which some characters have two. */
const json = (bytes: number): string => `"${"ü".repeat(10)}${"x".repeat(bytes - 22)}"`;

it("an operation's input may have so many bytes and not one more, and its name so many characters", () => {
  const uses = [{ alias: "shop", capability: "test.shop", range: "^1", bound: { version: "1.0.0", release: "r" } }];
  const task = { site: "a", role: "step", script: { source: "", calls: ["shop.quote"] } } as const;
  const caller = {
    origin: "r" as RunId,
    version: "v",
    task: { ...task, script: { source: "", calls: ["shop.quote"] } },
    secrets: [],
    uses,
    tag: "f".repeat(32),
  };
  const faultOf = (input: string, name: string | null = null): string | null => {
    const { asked } = new Identities({ digest }, caller).next({ call: 1, operation: "shop.quote", name, input, seen: [] });
    return "fault" in asked ? asked.fault.code : null;
  };
  assert.equal(faultOf(json(OPERATION_BYTES)), null);
  assert.equal(faultOf(json(OPERATION_BYTES + 1)), "WOML_OPERATION_INPUT_TOO_LARGE");
  assert.equal(faultOf("{}", "n".repeat(NAME_CHARACTERS)), null);
  assert.equal(faultOf("{}", "n".repeat(NAME_CHARACTERS + 1)), "WOML_CALL_OPTIONS_INVALID");
});

it("an operation's result may have so many bytes; one more cannot be kept, and an effect whose result is lost is in doubt", () => {
  const answered = (bytes: number) => ({ status: "succeeded", result: json(bytes), evidence: "told" }) as const;
  assert.equal(saidOfDispatch(answered(OPERATION_BYTES), "unsafe").status, "succeeded");
  const unsafe = saidOfDispatch(answered(OPERATION_BYTES + 1), "unsafe");
  assert.equal(unsafe.status === "ambiguous" && unsafe.failure.code, "WOML_PLUGIN_RESULT_INVALID");
  assert.match(unsafe.status === "ambiguous" ? unsafe.failure.message : "", /1048576/);
  assert.equal(saidOfDispatch(answered(OPERATION_BYTES + 1), "pure").status, "failed");
  assert.equal(saidOfProvider(answered(OPERATION_BYTES), []).status, "succeeded");
  assert.equal(saidOfProvider(answered(OPERATION_BYTES + 1), []).status, "cannot_tell");
});
