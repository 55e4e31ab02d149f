// A process that listens to the shared queue and says so: `url prefix well|hangs|rings`. One that hangs never takes a ring away; one that rings
// does so itself.
import { writeSync } from "node:fs";
import { Job } from "bullmq";
import { redisDoorbell } from "../bell/redis.ts";
import { openLog, SHARED } from "../index.ts";

const [url = "", prefix = "", how] = process.argv.slice(2);
const say = (word: string): void => void writeSync(1, `${word}\n`);
if (how === "hangs") {
  Job.prototype.moveToCompleted = () => {
    say("taken");
    return new Promise(() => undefined);
  };
}
const bell = redisDoorbell({ url, prefix, log: openLog("test", "silent"), lost: () => undefined });
bell.listen(SHARED, () => say("heard"));
process.once("SIGTERM", () => void bell.close());
const reached = setInterval(() => {
  if (bell.fault() !== null) return;
  clearInterval(reached);
  say("listens");
  if (how === "rings") bell.ring(SHARED);
}, 10);
