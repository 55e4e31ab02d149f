// What is submitted beside plugin.ts; run it after every change of the plugin.
import { writeFileSync } from "node:fs";
import { manifestOf } from "@woml/capability";
import plugin from "./plugin.ts";

writeFileSync(new URL("manifest.json", import.meta.url), `${JSON.stringify(manifestOf(plugin), null, 2)}\n`);
