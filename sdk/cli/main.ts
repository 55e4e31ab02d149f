#!/usr/bin/env node
import { run } from "./program.ts";
import { flushed, tolerateClosedPipe } from "./terminal.ts";

tolerateClosedPipe();
const code = await run(process.argv.slice(2));
await flushed();
process.exit(code);
