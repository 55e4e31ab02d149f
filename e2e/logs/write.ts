// `node e2e/logs/write.ts NAME…`: records stories of stories.ts, and folds logs that lie there without what they fold to. What is there stays:
// a log that was once written is read for ever.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { canonical } from "@woml/model";
import type { RunEvent } from "@woml/run";
import { folded, RECORDED } from "./recorded.ts";
import { STORIES } from "./stories.ts";

/** Answers whether it was written. */
function write(name: string, file: string, text: () => string): boolean {
  const path = join(RECORDED, name, file);
  if (existsSync(path)) return false;
  mkdirSync(join(RECORDED, name), { recursive: true });
  writeFileSync(path, text());
  return true;
}

function record(name: string): void {
  const story = STORIES[name];
  if (story !== undefined && !existsSync(join(RECORDED, name))) {
    const { graph, log } = story();
    write(name, "definition.json", () => `${canonical(graph.definition)}\n`);
    write(name, "events.jsonl", () => log.map((event) => `${JSON.stringify(event)}\n`).join(""));
  }
  if (!existsSync(join(RECORDED, name, "events.jsonl"))) throw new Error(`there is neither a story nor a log ${name}`);
  const lines = readFileSync(join(RECORDED, name, "events.jsonl"), "utf8")
    .trimEnd()
    .split("\n");
  const events = lines.map((line): RunEvent => JSON.parse(line));
  const isNew = write(name, "folded.json", () => `${JSON.stringify(folded(events), null, 1)}\n`);
  process.stdout.write(`${name}: ${isNew ? "written" : "is there and stays"}\n`);
}

for (const name of process.argv.slice(2)) record(name);
