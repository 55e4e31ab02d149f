import type { Fault } from "@woml/model/schema";
import type { Code } from "../../codes.ts";
import type { Remark } from "../../diagnostic.ts";
import { breakOf } from "../../schema/break.ts";
import { type Body, bodyOf, parsed } from "../../schema/json.ts";
import { schemaFaults } from "../../schema/judge.ts";
import { Places, quoted } from "../../source.ts";
import { elementsOf } from "../../tree.ts";
import type { Rule } from "../../visit.ts";

const CODES: Readonly<Record<string, { readonly json: Code; readonly schema: Code }>> = {
  webhook: { json: "WOML_WEBHOOK_SCHEMA_JSON_INVALID", schema: "WOML_WEBHOOK_SCHEMA_INVALID" },
  event: { json: "WOML_EVENT_SCHEMA_JSON_INVALID", schema: "WOML_EVENT_SCHEMA_INVALID" },
};

/** What a schema says is JSON, and a schema. */
export const payloadSchema: Rule =
  (findings, { text }) =>
  (element) => {
    const codes = element.name === "schema" ? CODES[element.parent?.name ?? ""] : undefined;
    if (!codes || elementsOf(element).length > 0) return;
    const body = bodyOf(element, text);
    const value = body ? parsed(body.text) : undefined;
    if (!body) findings.add(element.openRange, { code: codes.json, message: "The schema is empty.", hint: HINT });
    else if (value === undefined) findings.add(body.range, { code: codes.json, message: broken(body, text), hint: HINT });
    else for (const fault of schemaFaults(value)) findings.add(body.range, remarkOf(fault, codes.schema));
  };

const HINT = 'Write an object of JSON Schema 2020-12: {"type":"object","required":["id"]}.';

function broken(body: Body, source: string): string {
  const { line, column } = new Places(source).position(body.place(breakOf(body.text)));
  return `From line ${line}, column ${column} on this is no JSON.`;
}

function remarkOf({ kind, pointer, why }: Fault, code: Code): Remark {
  const message = `${pointer === "" ? "The schema" : `In the schema, ${quoted(pointer)}`} ${why}.`;
  if (kind === "invalid")
    return { code, message, hint: "See JSON Schema 2020-12. References lead to places in the same schema: #/$defs/item." };
  const hint = "Take a pattern without look-around, back references and large counts: payloads of anybody are matched with it.";
  return { code: "WOML_SCHEMA_PATTERN_UNSUPPORTED", message, hint };
}
