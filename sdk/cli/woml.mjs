#!/usr/bin/env node
// `woml`. A plain `woml check FILE…` runs from the one file that tools/bundle.ts has made, if that is fresh: hundreds of files need not be opened,
// nothing be compiled, and an editor gets its answer in the time of two empty starts of Node. Everything else is main.ts. No TypeScript here:
// stripping it costs more than the check.
import { freshBundle } from "./fresh.mjs";

const asked = plainCheck(process.argv.slice(2));
const bundle = asked && freshBundle();
if (bundle) process.exit(await bundle.check(asked.paths, asked.format));
else await import("./main.ts");

/** What `check` is asked; null where it takes the whole command line to say, such as for a fault or for help. */
function plainCheck([command, ...words]) {
  if (command !== "check") return null;
  const paths = [];
  let format = "text";
  for (let at = 0; at < words.length; at++) {
    const word = words[at];
    if (word === "--format") format = words[++at];
    else if (word.startsWith("--format=")) format = word.slice("--format=".length);
    else if (word.startsWith("-") || word === "") return null;
    else paths.push(word);
  }
  return paths.length > 0 && (format === "text" || format === "json") ? { paths, format } : null;
}
