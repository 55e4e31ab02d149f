// `npm run helm [-- --json] [--static]`: the chart under real Helm 3 and 4, held against everything that a cluster would do with it and can be
// judged without one; then its rendered commands and environments, started as processes of this machine. A line each; exit 1 where one is wrong.
import { type Fact, line } from "./fact.ts";
import { tellLive } from "./live.ts";
import { strictModel } from "./model.ts";
import { tellStatic } from "./static.ts";
import { openTools, toolsLack } from "./tools.ts";

const words = process.argv.slice(2);
const strange = words.filter((word) => word !== "--json" && word !== "--static");
if (strange.length > 0) {
  process.stderr.write(`There is no option ${strange.join(", ")}; there are --json and --static.\n`);
  process.exit(2);
}

const facts: Fact[] = [];
function tell(one: Fact): void {
  facts.push(one);
  process.stdout.write(`${line(one, words.includes("--json"))}\n`);
}
const skip = (name: string, why: string): void => tell({ name, outcome: "skipped", figure: why, faults: [] });

const lacks = toolsLack();
if (lacks === null) {
  const { helms, model } = await openTools();
  const judged = await tellStatic({ helms, complain: strictModel(model) }, tell);
  if (!words.includes("--static")) await tellLive(judged, { tell, skip });
} else skip("helm", lacks);

const count = (outcome: Fact["outcome"]): number => facts.filter((one) => one.outcome === outcome).length;
const [ok, wrong, skipped] = [count("ok"), count("wrong"), count("skipped")];
if (!words.includes("--json")) process.stdout.write(`${ok} facts hold, ${wrong} do not, ${skipped} skipped\n`);
process.exitCode = wrong > 0 || (skipped > 0 && process.env["WOML_REQUIRE_ALL"] === "1") ? 1 : 0;
