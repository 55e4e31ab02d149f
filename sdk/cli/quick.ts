// What tools/bundle.ts makes one file of, so that an editor may call `woml check` at every key: main.ts takes that file while it is fresh.
import { addCheck } from "./commands/check.ts";
import { runWith } from "./program.ts";

export const check = (args: readonly string[]): Promise<number> => runWith(args, [addCheck]);
export { EXIT } from "./exit.ts";
export { flushed, tolerateClosedPipe } from "./terminal.ts";
