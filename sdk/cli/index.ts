export { run } from "./commands.ts";
export { EXIT, type ExitCode } from "./exit.ts";
