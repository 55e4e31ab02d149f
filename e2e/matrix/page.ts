// docs/failure-semantics.md, out of the table of rules: a line a cell, in words for whoever runs workflows. `npm run matrix -- --page` writes it.
import { CELLS, type Cell, type Kill, type Kind, POINTS, type Point, type Rule, ruleOf } from "./rules.ts";

const HEAD = `# When something dies

Scripts act on the world through operations. Before one is dispatched, its start is in the log; before its script hears the answer, the answer
is. So whatever dies whenever, the platform knows what may have been done, and does one of these:

- it **waits** for who still has the operation: a plugin host outlives engines, and keeps results for 15 minutes;
- it **performs it again**, where that cannot be a second effect;
- it **asks the provider** what became of it;
- it **asks you**: the run stands at \`needs_resolution\`, steps after it do not begin, its siblings go on.

An effect takes place once at most, and exactly once where the operation succeeded. \`npm run matrix\` brings about every line of this page with
real processes, kills one of them, and has the provider's own ledger count.

## How to read it

| class          | what its plugin promises                                                                                                             |
| -------------- | ------------------------------------------------------------------------------------------------------------------------------------ |
| \`pure\`         | it only reads                                                                                                                        |
| \`keyed\`        | the provider does it once for a key, however often it is asked within \`windowHours\`                                                  |
| \`reattachable\` | the provider can be asked by the key. Behind the colon, what it says then: it succeeded, it is pending, it was not found, or nothing |
| \`unsafe\`       | none of these                                                                                                                        |

A provider does not say what is not so for longer than its plugin promises: "not found" is believed once \`conclusiveNotFoundAfterMs\` have passed
since nothing of the operation can be on its way any more. If it can be repeated under a key as well, it need not be believed: it is sent again
under that key.

**What you see** is in \`run.operations\` and \`woml runs operations ID\`: how often it was dispatched (\`tries\`), by whom last (\`by\`), and how the
platform knows (\`evidence\`). **What you may do** is nothing, where nothing is said. Cancelling a run is always possible; what nobody knows then
stays listed under \`unresolvedEffects\`.

Where a person is asked: look at the provider, then say what is so. \`woml runs resolve ID OPERATION --succeeded JSON\` if it was done, \`--failed WHY\`
if it was not and shall not be, \`--retry\` if it was not and shall be. A plugin that says
from when a request can arrive no more (\`conclusiveNotFoundAfterMs\`) has \`--retry\` refused until then; for others it goes at once, and what you saw is
trusted. The [policy](definition.md) of a definition (\`onAmbiguous\`) or the tenant's setting has the script told instead: it is given an error with \`ambiguous: true\`, and
whatever it makes of it, the step is not tried again.
`;

const INTRODUCTIONS: Readonly<Record<Point, string>> = {
  "before start recorded": "The script has called; its start is not in the log yet. Nothing was sent.",
  recorded: "The start is in the log; nothing was sent.",
  "effect sent": "The request is at the provider, which has not acted on it yet.",
  "effect done": "The provider has acted; its answer is on the way.",
  "answer received": "The engine has the answer; it is not in the log yet.",
  settled: "The answer is in the log; the script has not heard it yet.",
};

const TAIL = `
## Besides

- **An engine that was paused and comes back** while another took its runs over sends nothing: its lease is over by its own clock, and the plugin
  host refuses whoever is late or has been overtaken.
- **A plugin's process that dies as it is given a call**, before a byte of a request has left, is a known failure (\`WOML_PLUGIN_CRASHED\`): nothing was
  done, and the step's \`retry\` tries again.
- **The window of a key is over** (nine tenths of \`windowHours\`): a keyed operation is not sent again; you are asked. The window begins with the first
  dispatch under the key. All attempts of a step call with the same key, and so does a run that [resumes](operating.md#resuming-a-run) another with its
  payload, and one that resumes that: what the provider refused in one of them began the window of all that follow, because a provider may count from
  there. What was refused is asked for anew however long ago that was; if then the answer is lost, past the window, you are asked at once. A rerun, and a
  run that is resumed with another payload, have keys of their own.
- **An unknown outcome that is wrapped**, by the plugin or by the script, stays unknown. What a plugin throws after a request without an answer is
  not believed to be a failure, and a step that holds an unknown is not tried again.
- **A timer that races an operation**: run again, the script is given answers and timers in the recorded order, and so takes the same branch.
- **The plugin host dies** too: what it had is known to nobody, and the class decides, as for a plugin's process.

**Hooks and notices** act by the same rules, with keys of their own, and nobody is asked about them: what nobody knows is told to the script as an error with
\`ambiguous: true\`. Run again, one that does something else has failed, once what it called has settled. Whatever it comes to is a warning of the run; an
approval alone fails when nobody could be told of it. A notice that may have been sent is not sent again.

## Several plugin hosts

On a cluster each dispatch goes to one plugin host, which its start in the log names, and only that one is asked about it. A host that is gone before
it was given anything did nothing: another one gets the operation at once, whatever its class. One that was given it and is out of reach may be
performing it still, for as long as the lease of its engine and the time of the operation allow: what is \`keyed\` goes on after five seconds, under its
key; what is \`reattachable\` is asked about, and "not found" is believed only when that time is over and \`conclusiveNotFoundAfterMs\` after it; for
what is \`unsafe\` the platform waits for that time, in case its host comes back, and then asks you. Until it is over nobody's word that something was
not done is taken.
`;

export function page(): string {
  const sections = POINTS.map((point) => {
    const rows = CELLS.filter((cell) => cell.point === point).map(rowOf);
    return `## ${title(point)}\n\n${INTRODUCTIONS[point]}\n\n${table(rows)}\n`;
  });
  return `${HEAD}\n${sections.join("\n")}${TAIL}`;
}

const title = (point: Point): string => `${point.slice(0, 1).toUpperCase()}${point.slice(1)}`;
const COLUMNS = ["what dies", "operation", "what the platform does", "what you see", "what you may do"];

function rowOf(cell: Cell): readonly string[] {
  const rule = ruleOf(cell);
  return [cell.kill, cell.kind, does(cell, rule), sees(cell, rule), rule.way === "person" ? may(cell, rule) : "–"];
}

function table(rows: readonly (readonly string[])[]): string {
  const widths = COLUMNS.map((column, i) => Math.max(column.length, ...rows.map((row) => row[i]?.length ?? 0)));
  const line = (cells: readonly string[]): string => `| ${cells.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join(" | ")} |`;
  return [line(COLUMNS), line(widths.map((width) => "-".repeat(width))), ...rows.map(line)].join("\n");
}

function does(cell: Cell, { way }: Rule): string {
  const { kill, kind } = cell;
  switch (way) {
    case "begun":
      return BEGUN[kill];
    case "dispatched":
      return kill === "sandbox worker"
        ? "The engine sends it, for the first time. The script is run again and given the answer."
        : "A new process of the plugin is started, and performs it for the first time.";
    case "joined":
      return joined(cell);
    case "recorded":
      return recorded(cell);
    case "again":
      if (kind === "keyed") return "It is sent again under the same key, and the provider does it once.";
      return cell.point === "answer received" ? "Answers of what only reads are not kept: it is read again." : "It is read again.";
    case "asked":
      return ASKED[kind] ?? "";
    case "proven absent":
      return PROVEN[kind] ?? "";
    case "person":
      if (kind === "unsafe") return "Nothing can tell what was done: nothing is sent again, and you are asked.";
      return "The provider is asked three times and cannot tell: nothing is sent again, and you are asked.";
    default:
      return way satisfies never;
  }
}

const BEGUN: Readonly<Record<Kill, string>> = {
  engine: "Another engine runs the script again. It calls once more, and the operation is performed for the first time.",
  "sandbox worker": "The call goes into the log and is performed. The script is run again in another worker and given the answer.",
  "plugin process": "A new process of the plugin is started when the operation comes to it.",
  "PostgreSQL connection":
    "The engine gives up its runs. One with a new lease runs the script again, and the operation is performed for the first time.",
};

function joined({ point, kill, kind }: Cell): string {
  const kept = point === "answer received" ? "has the answer still, and gives it to" : "has the operation still, and its answer goes to";
  if (kill === "sandbox worker") return "The operation goes on. The script is run again in another worker and given the answer.";
  const who = kill === "engine" ? "the next engine" : "the engine under its new lease";
  const again = kind === "pure" ? " If it has ended meanwhile, it is read again." : "";
  return `The plugin host ${kept} ${who}. The script is run again and given it.${again}`;
}

function recorded({ point, kill }: Cell): string {
  const stored = point === "answer received" ? "The answer goes into the log all the same" : "The answer is in the log";
  if (kill === "plugin process") return `${stored}: whoever performed it is not needed any more.`;
  if (kill === "sandbox worker") return `${stored}. The script is run again in another worker and given it.`;
  return `${stored}. ${kill === "engine" ? "Another engine" : "The engine, under a new lease,"} runs the script again and gives it that answer.`;
}

const ASKED: Partial<Record<Kind, string>> = {
  "reattachable: succeeded": "The provider is asked by the key, says that it was done, and its result is taken.",
  "reattachable: pending": "The provider is asked, says that it is under way, is asked again, and says that it was done.",
  "reattachable: not found":
    "The provider is asked and does not know it. That is not believed yet: asked again later, it says that it was done.",
};
const PROVEN: Partial<Record<Kind, string>> = {
  "reattachable: succeeded": "The provider is asked and does not know it, also when that is proof. Only then it is performed.",
  "reattachable: pending":
    "The provider is asked, and says that it is under way; asked again, it does not know it, late enough for proof. Then it is performed.",
  "reattachable: not found": "The provider is asked, and again when its word is proof: it does not know it. Then it is performed.",
};

function sees({ kind }: Cell, { way, tries }: Rule): string {
  if (way === "person") return "The run waits: `needs_resolution`, the operation `unknown`.";
  if (way === "asked") return "Succeeded in one try; the evidence says that the provider was asked.";
  if (tries.length > 1) return "Succeeded, in one try or two.";
  const [first] = tries;
  if (first === 1) return "Succeeded in one try.";
  return kind === "pure" || way === "again"
    ? "Succeeded in two tries, the second by `recovery`."
    : "Succeeded in two tries, after a doubt of some time.";
}

function may({ point }: Cell, { effects }: Rule): string {
  if (point === "recorded") return "Look at the provider, which has never had it: say `--retry` or `--failed`.";
  if (effects === 1) return "Look at the provider, which has done it: say `--succeeded` with its result.";
  return "Look at the provider: the request may have been acted on or not. Say what is so.";
}
