import { keepCompiledCode } from "./code-cache.ts";

keepCompiledCode();
const { EXIT } = await import("./exit.ts");
const { run } = await import("./commands.ts");
const { flushed, tolerateClosedPipe } = await import("./terminal.ts");

tolerateClosedPipe();
const code = await run(process.argv.slice(2));
process.exit((await flushed()) ? code : code || EXIT.failed);
