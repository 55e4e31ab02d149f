/** Sentences of the language, each with a document that shows it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Json } from "@woml/model";
import { type Document, enact } from "./enact.ts";

interface Expected {
  readonly status?: string;
  readonly result?: Json;
  readonly code?: string;
  readonly ran?: string;
  /** What of `context` the script at a site was given. */
  readonly saw?: Readonly<Record<string, Json>>;
  /** What the script at a site was told of its hook. */
  readonly heard?: Readonly<Record<string, Json>>;
  /** The message that a provider was given. */
  readonly said?: Readonly<Record<string, string>>;
  /** Hooks whose actions failed. */
  readonly warned?: readonly string[];
  /** How long the run took, ms. */
  readonly took?: number;
}
export type Row = readonly [sentence: string, document: Document, expected: Expected];

export function tell(section: string, rows: readonly Row[]): void {
  for (const [sentence, document, expected] of rows) {
    test(`${section}: ${sentence}`, () => {
      const { status, result, code, ran, given, play } = enact(document);
      const met: Record<string, unknown> = { status };
      if ("result" in expected) met["result"] = result;
      if ("code" in expected) met["code"] = code;
      if ("ran" in expected) met["ran"] = ran.map((one) => one.replace(/#1$/, "")).join(" ");
      if (expected.saw !== undefined)
        met["saw"] = Object.fromEntries(Object.keys(expected.saw).map((site) => [site, given[site]?.context.steps ?? null]));
      if (expected.heard !== undefined)
        met["heard"] = Object.fromEntries(Object.keys(expected.heard).map((site) => [site, given[site]?.lifecycle]));
      if (expected.said !== undefined)
        met["said"] = Object.fromEntries(Object.keys(expected.said).map((site) => [site, given[site]?.notification?.message]));
      if ("warned" in expected)
        met["warned"] = play.log.flatMap((event) => (event.type === "hook_settled" && event.data.failed > 0 ? [event.data.hook] : []));
      if ("took" in expected) met["took"] = play.now - 1_000;
      assert.deepEqual(met, { status: "code" in expected ? "failed" : "succeeded", ...expected });
    });
  }
}
