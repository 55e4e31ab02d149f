// Documents for codes that no file of a readable length can raise, or that say something of the disk around it.
import type { Project, Source } from "@woml/language";

export interface Made {
  readonly source: Source;
  readonly project: Project;
}

const step = (id: string, body = "return 1;", attributes = ""): string =>
  `      <step id="${id}"${attributes}>\n        <script>${body}</script>\n      </step>\n`;
const workflow = (steps: string, before = '    <triggers>\n      <manual id="go" />\n    </triggers>\n'): string =>
  `<woml>\n  <workflow id="made-up">\n${before}    <steps>\n${steps}    </steps>\n  </workflow>\n</woml>\n`;
const many = (count: number, of: (at: number) => string): string => Array.from({ length: count }, (_, at) => of(at)).join("");

function made(text: string, project: Partial<Project> = {}): Made {
  return { source: { path: "made-up.woml", text }, project: { files: new Map(), modules: new Map(), ...project } };
}

const nested = (depth: number): string =>
  depth === 0
    ? step("deep")
    : `<choose><when test="{{context.payload.a}}">${nested(depth - 1)}</when><otherwise>${step(`s${depth}`)}</otherwise></choose>`;
const wide = (at: number): string => `<parallel id="p${at}">${many(90, (child) => step(`s${at}x${child}`))}</parallel>`;
const importing = (from: string): string =>
  workflow(step("a")).replace("<woml>\n", `<woml>\n  <imports>\n    <module name="prices" from="${from}" />\n  </imports>\n`);

/** What the command line says of a file that it finds and may not take. */
const absent = (code: string, message: string, hint: string): Made =>
  made(importing("./lib/prices.ts"), { modules: new Map([["lib/prices.ts", { code, message, hint }]]) });

const REUSABLE = "<woml><step><script>return 1;</script></step></woml>";
/** A workflow that imports `count` definitions. */
function imported(count: number, text: () => string): Made {
  const all = Array.from({ length: count }, (_, at) => `part-${at}`);
  const modules = all.map((name) => `    <module name="${name}" from="./${name}.woml" />\n`).join("");
  const document = workflow(step("a")).replace("<woml>\n", `<woml>\n  <imports>\n${modules}  </imports>\n`);
  return made(document, { files: new Map(all.map((name) => [`${name}.woml`, text()])) });
}

export const MADE: readonly Made[] = [
  made(`${workflow(step("a"))}<!--${" ".repeat(1_048_576)}-->`),
  made(workflow(step("a", "return 'a\0b';"))),
  made(workflow(nested(101) + step("end"))),
  made(workflow(many(12_600, (at) => step(`s${at}`)))),
  made(workflow(many(120, () => step("a")))),
  made(workflow(step("a", `return "${"x".repeat(262_144)}";`))),
  made(workflow(step("a", "return 1;", ` description="${"x".repeat(4_097)}"`))),
  made(workflow(many(5_001, (at) => step(`s${at}`)))),
  made(workflow(many(60, wide) + step("end"))),
  made(workflow(step("a"), `    <triggers>\n${many(65, (at) => `      <manual id="t${at}" />\n`)}    </triggers>\n`)),
  made(
    workflow(
      step(
        "a",
        many(65, (at) => `void secrets.S${at}; `),
      ),
    ),
  ),
  made(workflow(step("a", `${"(".repeat(4_000)}1${")".repeat(4_000)};`))),
  made(
    workflow(step("a")).replace(
      "<woml>\n",
      `<woml>\n  <imports>\n${many(64, (at) => `    <uses capability="acme.c${at}" version="*" as="c${at}" />\n`)}  </imports>\n`,
    ),
  ),
  made(
    workflow(many(12, (at) => `      <long-step id="s${at}" />\n`)).replace(
      "<woml>\n",
      '<woml>\n  <imports>\n    <module name="long-step" from="./long-step.woml" />\n  </imports>\n',
    ),
    { files: new Map([["long-step.woml", `<woml><step><script>return "${"x".repeat(200_000)}";</script></step></woml>`]]) },
  ),
  imported(513, () => REUSABLE),
  imported(18, () => `${REUSABLE}<!--${" ".repeat(1_000_000)}-->`),
  absent("WOML_MODULE_SYMLINK_ESCAPE", "./lib/prices.ts is a link that leads out of the project.", "Copy the file into the project."),
  absent("WOML_MODULE_PATH_CASE_COLLISION", "./lib/prices.ts and ./lib/Prices.ts differ by case alone.", "Rename one of them."),
  absent("WOML_MODULE_FILE_NOT_READABLE", "./lib/prices.ts cannot be read (EACCES).", "Give this user the right to read it."),
];
