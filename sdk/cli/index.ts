export { EXIT, type ExitCode } from "./exit.ts";
export { run } from "./program.ts";
