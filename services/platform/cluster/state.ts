import { mkdtempSync, rmdirSync } from "node:fs";
import { join } from "node:path";
import { ConfigRefusal, type Role } from "@woml/boot";

/** Better met at the start, and by the setting's name, than where the first script or plugin is to begin. */
export function assertWritable(role: Role, folder: string): void {
  try {
    rmdirSync(mkdtempSync(join(folder, "woml-")));
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "unknown";
    throw new ConfigRefusal(role, [`WOML_STATE_DIR is ${folder}, a folder that cannot be written to (${code})`]);
  }
}
