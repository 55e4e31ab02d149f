import { Option } from "commander";
import type { PlaceOptions } from "./place.ts";
import { say, sayJson } from "./terminal.ts";
import { yaml } from "./yaml.ts";

export interface OutputOptions extends PlaceOptions {
  readonly output: "json" | "table";
}
export interface AnyOutput extends PlaceOptions {
  readonly output: "json" | "yaml" | "table";
}

export const outputOption = (): Option => new Option("-o, --output <format>", "how to say it").choices(["table", "json"]).default("table");

export const anyOutputOption = (): Option =>
  new Option("-o, --output <format>", "how to say it").choices(["table", "json", "yaml"]).default("table");

/** The answer as it was asked for; `shown` makes it one for people. */
export function sayAs(output: AnyOutput["output"], value: unknown, shown: () => string): void {
  if (output === "json") sayJson(value);
  else say(output === "yaml" ? yaml(value) : shown());
}
