import { Option } from "commander";
import type { PlaceOptions } from "./place.ts";

export interface OutputOptions extends PlaceOptions {
  readonly output: "json" | "table";
}

export const outputOption = (): Option => new Option("-o, --output <format>", "how to say it").choices(["table", "json"]).default("table");
