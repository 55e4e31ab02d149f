// The documents say what the house does: codes, events, limits, links, and every example that a machine can judge.
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import { test } from "node:test";
import { SETTINGS } from "@woml/boot";
import { compile, outline, render } from "@woml/language";
import { accept, FEATURES, NOT_YET } from "@woml/model";
import { bundle } from "@woml/modules";
import { buildSchema, type DocumentNode, getVariableValues, Kind, parse, validate } from "graphql";

const ROOT = join(import.meta.dirname, "..");
const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");
const files = readdirSync(ROOT, { recursive: true, encoding: "utf8" }).filter(
  (path) => !path.split(sep).some((part) => /^(node_modules|generated|dist|scripts|\.)/.test(part)),
);
const documents = files.filter((path) => path.endsWith(".md"));
const pages = documents.filter((path) => path.startsWith(`docs${sep}`) || path === "README.md");
const sources = files
  .filter(
    (path) => /^(sdk|services|prisma)\//.test(path) && /\.(ts|sql)$/.test(path) && !/(^|\/)((test|migrations)\/|testing\.ts$)/.test(path),
  )
  .map(read)
  .join("\n");
const schema = buildSchema(read("sdk/client/schema.graphql"));

/** Names of the environment are spelled like codes. */
const environment = new Set([...sources.matchAll(/process\.env\["(WOML_[A-Z_]+)"\]/g)].map(([, name]) => name));
/** docs/configuration.md has a test of its own. */
const settings = new Set(Object.keys(SETTINGS).flatMap((name) => [name, `${name}_FILE`]));
const spoken = new Set(
  [...sources.matchAll(/\bWOML_[A-Z]+(?:_[A-Z]+)*\b/g)]
    .map(([code]) => code)
    .filter((code) => !environment.has(code) && !settings.has(code)),
);

interface Block {
  readonly page: string;
  readonly language: string;
  readonly text: string;
}
const blocks: readonly Block[] = pages.flatMap((page) =>
  [...read(page).matchAll(/^ *```(\w*)\n(.*?)^ *```$/gms)].map(([, language = "", text = ""]) => ({ page, language, text })),
);
const rowsOf = (page: string): readonly string[][] =>
  [...read(page).matchAll(/^\| (.+) \|$/gm)].map(([, row = ""]) => row.split(" | ").map((cell) => cell.trim()));

test("every code that the house can say stands in docs/codes.md, those of the language in docs/errors.md", () => {
  const headings = [...read("docs/errors.md").matchAll(/^## (WOML_\w+)$/gm)].map(([, code = ""]) => code);
  const listed = new Set([...rowsOf("docs/codes.md").map(([first = ""]) => first.replaceAll("`", "")), ...headings]);
  assert.ok(spoken.size > 150, `only ${spoken.size} codes found`);
  assert.deepEqual(
    [...spoken].filter((code) => !listed.has(code)),
    [],
  );
});

test("every code in docs/codes.md is one that the house can say, with a meaning", () => {
  const rows = rowsOf("docs/codes.md").filter(([first = ""]) => /^`[A-Z_]+`$/.test(first));
  assert.ok(rows.length > 150);
  for (const [first = "", ...cells] of rows) {
    const code = first.replaceAll("`", "");
    assert.match(sources, new RegExp(`\\b${code}\\b`), `${code} is gone`);
    assert.ok(
      cells.slice(0, 2).some((cell) => cell.length > 5),
      `${code} has no meaning`,
    );
  }
});

test("no document names a code or a variable that is not there", () => {
  for (const page of documents) {
    for (const [name] of read(page).matchAll(/\bWOML_[A-Z]+(?:_[A-Z]+)*\b(?!_…)/g)) {
      assert.ok(
        spoken.has(name) || environment.has(name) || settings.has(name) || /^WOML_(JSON|LOG|NODE|SEED)$/.test(name),
        `${page}: ${name}`,
      );
    }
  }
  for (const name of environment) assert.match(read("docs/operating.md"), new RegExp(`\`${name}\``), `${name} is not explained`);
});

test("every event stands in docs/events.md, and no other", () => {
  const [, table = ""] = /interface RunEvents \{\n(.*?)\n\}/s.exec(read("sdk/run/event.ts")) ?? [];
  const events = [...table.matchAll(/^ {2}(\w+):/gm)].map(([, name]) => name);
  const listed = rowsOf("docs/events.md").flatMap(([first = ""]) => /^`([a-z]+(?:_[a-z]+)+)`$/.exec(first)?.[1] ?? []);
  assert.ok(events.length > 15);
  assert.deepEqual([...new Set(listed)].sort(), events.toSorted());
});

test("every limit in docs/limits.md has its constant in the file it names", () => {
  const rows = rowsOf("docs/limits.md").filter((cells) => cells.length === 5 && cells[3]?.startsWith("["));
  assert.ok(rows.length > 50);
  for (const [limit, , constant = "", link = ""] of rows) {
    const path = join("docs", /\]\((.+)\)/.exec(link)?.[1] ?? "");
    assert.match(read(path), new RegExp(`\\b${constant.replaceAll("`", "")}\\b`), `${limit}: ${constant} is not in ${path}`);
  }
});

test("what publish refuses as not run yet stands in docs/language.md, by its own words", () => {
  const [, section = ""] = /^## What is not run yet\n(.*?)^## /ms.exec(read("docs/language.md")) ?? [];
  const words = new Set(
    [...NOT_YET].flatMap(
      (feature) => FEATURES[feature].match(/<[a-z-]+>|services\.\w+|\b(?:concurrency|rate-limit|queue)\b|"[a-z-]+"/g) ?? [],
    ),
  );
  assert.ok(words.size >= NOT_YET.size);
  assert.deepEqual(
    [...words].filter((word) => !section.includes(word)),
    [],
  );
});

test("every relative link leads to a file, and to a heading in it", () => {
  const slug = (heading: string): string =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, "")
      .trim()
      .replace(/\s/g, "-");
  for (const page of documents) {
    const text = read(page).replace(/^ *```.*?^ *```$/gms, "");
    for (const [, target = ""] of text.matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^[a-z]+:/.test(target)) continue;
      const [path = "", heading] = target.split("#");
      const file = path === "" ? page : join(dirname(page), path);
      assert.ok(existsSync(join(ROOT, file)), `${page}: ${target}`);
      if (heading === undefined) continue;
      const headings = [...read(file).matchAll(/^#+ (.+)$/gm)].map(([, title = ""]) => slug(title));
      assert.ok(headings.includes(heading), `${page}: ${target} names no heading`);
    }
  }
});

test("every query and mutation is named in docs/api.md, and every command in docs/operating.md", () => {
  const [api, operating] = [read("docs/api.md"), read("docs/operating.md")];
  const fields = [schema.getQueryType(), schema.getMutationType()].flatMap((type) => Object.keys(type?.getFields() ?? {}));
  assert.deepEqual(
    fields.filter((name) => !new RegExp(`\\b${name}\\b`).test(api)),
    [],
  );
  const commands = files
    .filter((path) => dirname(path) === join("sdk", "cli", "commands") && path.endsWith(".ts"))
    .flatMap((path) => [...read(path).matchAll(/\.command\("([a-z-]+)/g)].map(([, name = ""]) => name));
  assert.ok(commands.includes("lanes") && commands.includes("quota"));
  assert.deepEqual(
    commands.filter((name) => !new RegExp(`^\\| .*[\\s\`]${name}\\b`, "m").test(operating)),
    [],
  );
});

test("every example of GraphQL is one that the schema takes", () => {
  const queries = blocks.filter(({ language }) => language === "graphql");
  const requests = blocks
    .filter(({ language, text }) => language === "json" && text.includes('"query":'))
    .map(({ text }) => JSON.parse(text));
  const inline = blocks
    .filter(({ language }) => language === "sh")
    .flatMap(({ text }) => [...text.matchAll(/'(\{"query":.*?\})'/g)].map(([, body = ""]) => JSON.parse(body)));
  assert.ok(queries.length >= 11 && requests.length >= 2 && inline.length >= 4);
  for (const { page, text } of queries) assertTaken(parse(text), page);
  for (const { query, variables } of [...requests, ...inline]) {
    const document = parse(query);
    assertTaken(document, query);
    if (variables !== undefined) assert.equal(variableErrors(document, variables), undefined, query);
  }
});

test("every example of an answer or a definition is JSON, and every definition is accepted", () => {
  const definitions: unknown[] = [];
  for (const { page, language, text } of blocks) {
    if (language !== "json") continue;
    assert.doesNotThrow(() => JSON.parse(text), `${page}: ${text}`);
    if (text.includes('"schemaVersion"')) definitions.push(JSON.parse(text));
  }
  assert.ok(definitions.length >= 2);
  for (const definition of definitions) assert.ok("definition" in accept(definition), JSON.stringify(accept(definition)));
});

test("every workflow in the documents compiles", () => {
  const workflows = blocks.filter(({ language }) => language === "xml");
  assert.ok(workflows.length >= 3);
  // A block whose first line is a comment with a path is what the others import from there.
  const named = blocks.flatMap(({ text }) => {
    const path = /^(?:<!-- (\S+) -->|\/\/ (\S+\.[jt]s)$)/m.exec(text)?.slice(1).find(Boolean);
    return path === undefined ? [] : [[path, text] as const];
  });
  const files = new Map(named);
  for (const { text } of workflows) {
    const source = { path: "flow.woml", text };
    const read = (path: string): string | undefined => files.get(path);
    const { diagnostics } = compile(source, { files, modules: bundle(outline(source, read).modules, read) });
    assert.equal(diagnostics.map((diagnostic) => render(diagnostic, text)).join("\n"), "");
  }
});

function assertTaken(document: DocumentNode, what: string): void {
  assert.deepEqual(
    validate(schema, document).map(({ message }) => `${what}: ${message}`),
    [],
  );
}

function variableErrors(document: DocumentNode, variables: Record<string, unknown>): unknown {
  const operation = document.definitions.find((definition) => definition.kind === Kind.OPERATION_DEFINITION);
  return getVariableValues(schema, operation?.variableDefinitions ?? [], variables).errors;
}
