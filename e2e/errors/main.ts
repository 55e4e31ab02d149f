// `npm run errors`: writes docs/errors.md, and says which codes no document raises.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { entries } from "./entries.ts";
import { pageOf } from "./page.ts";

const all = entries();
writeFileSync(join(import.meta.dirname, "..", "..", "docs", "errors.md"), pageOf(all));
const silent = all.filter(({ shown }) => shown === null).map(({ code }) => code);
process.stdout.write(`docs/errors.md: ${all.length} codes, ${silent.length} without a document\n`);
for (const code of silent) process.stdout.write(`no document raises ${code}\n`);
process.exitCode = silent.length > 0 ? 1 : 0;
