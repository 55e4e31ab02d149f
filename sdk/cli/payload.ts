import type { Json } from "@woml/model";
import { Ending, EXIT, usage } from "./exit.ts";
import { readText } from "./source.ts";

export interface PayloadOptions {
  readonly payload?: string;
  readonly payloadFile?: string;
}
export type Payload = Readonly<Record<string, Json>>;

/** The payload of a manual start; `{}` when none was given. */
export function readPayload({ payload, payloadFile }: PayloadOptions): Payload {
  if (payload !== undefined && payloadFile !== undefined) throw usage("Give --payload or --payload-file, not both.");
  const text = payload ?? (payloadFile === undefined ? "{}" : readText(payloadFile));
  const value = parsed(text, payloadFile === undefined ? "--payload" : payloadFile);
  if (isObject(value)) return value;
  throw new Ending(EXIT.invalid, "WOML_PAYLOAD_INVALID", "A payload is a JSON object, such as {}.");
}

function parsed(text: string, from: string): Json {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw usage(`${from} is not JSON: ${error instanceof Error ? error.message : String(error)}.`, "WOML_PAYLOAD_INVALID");
  }
}

const isObject = (value: Json): value is Payload => typeof value === "object" && value !== null && !Array.isArray(value);
