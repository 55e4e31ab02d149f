#!/usr/bin/env node
import { keepCompiledCode } from "./code-cache.ts";
import { freshBundle } from "./fresh.ts";

keepCompiledCode();
const args = process.argv.slice(2);
const bundle = args[0] === "check" ? freshBundle() : null;
const { check, EXIT, flushed, tolerateClosedPipe }: typeof import("./quick.ts") = await import(bundle ?? "./quick.ts");

tolerateClosedPipe();
const run = args[0] === "check" ? check : (await import("./commands.ts")).run;
const code = await run(args);
process.exit((await flushed()) ? code : code || EXIT.failed);
