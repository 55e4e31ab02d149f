// What is written another way means the same: held for the documents of the corpus, those of the codes, and the samples.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, test } from "node:test";
import { canonical, type Definition } from "@woml/model";
import { tried } from "@woml/model/testing";
import fc from "fast-check";
import { Findings } from "../findings.ts";
import { type Bundle, compile, outline, type Project } from "../index.ts";
import { parse } from "../parser.ts";
import { print } from "../print.ts";
import { trimmed } from "../source.ts";
import { type Child, type Element, elementsOf } from "../tree.ts";
import { type Markup, write } from "./flows.ts";

const CORPUS = join(import.meta.dirname, "../../../e2e/conformance/documents");
const RAISING = join(import.meta.dirname, "../../../e2e/errors/documents");
const SAMPLES = join(import.meta.dirname, "samples");

interface Handed {
  readonly path: string;
  readonly text: string;
  readonly project: Project;
}
interface Sound extends Handed {
  readonly definition: Definition;
}

const handed: readonly Handed[] = [CORPUS, RAISING, SAMPLES].flatMap((folder) =>
  readdirSync(folder)
    .filter((name) => name.endsWith(".woml"))
    .map((name) => handedAt(join(folder, name))),
);
const sound: readonly Sound[] = handed.flatMap((one) => {
  const { definition } = compile({ path: "flow.woml", text: one.text }, one.project);
  return definition ? [{ ...one, definition }] : [];
});

function handedAt(path: string): Handed {
  const text = readFileSync(path, "utf8");
  const read = (file: string): string | undefined => textAt(join(dirname(path), file));
  const { files, modules } = outline({ path: "flow.woml", text }, read);
  return { path, text, project: { files, modules: new Map(modules.map((file) => [file, bundleOf(read(file) ?? "")])) } };
}

function textAt(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

/** As far as a compiler of documents looks at one. */
function bundleOf(text: string): Bundle {
  const exports = text.matchAll(/export (?:async )?function (\w+)/g).map(([, name = ""]) => name);
  return { exports: [...exports].sort(), text: "export {};\n", digest: `sha256:${"0".repeat(64)}` };
}

function meant(text: string, { project }: Sound): Definition | null {
  return compile({ path: "flow.woml", text }, project).definition;
}

function treeOf(text: string): Element {
  const root = parse(text, new Findings());
  assert.ok(root);
  return root;
}

/** Scripts, and values that go over several lines, as if these had ended in LF alone. */
function withLineFeeds(value: unknown): unknown {
  if (typeof value === "string") return value.replaceAll("\r\n", "\n");
  if (Array.isArray(value)) return value.map(withLineFeeds);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, withLineFeeds(part)]));
}

function markupOf({ name, attributes, children }: Element, text: string): Markup {
  const written = ({ range }: Child): string => text.slice(range.start, range.end);
  const held = children.flatMap((child): readonly (string | Markup)[] => {
    if (child.kind === "element") return [markupOf(child, text)];
    return child.kind === "raw" || name === "schema" ? [written(child)] : [];
  });
  // A comment in a script would be one of its lines.
  const isBare = name === "script" && held.length === 0;
  return {
    name,
    attributes: [...attributes.values()].map((attribute) => [attribute.name, attribute.value ?? ""]),
    children: isBare ? [""] : held,
  };
}

/** What stands in a document as `write` can write it: no text but that of scripts and schemas, and no script without an end of its own. */
function isWritable(element: Element, text: string): boolean {
  const { name, children } = element;
  const isText = children.some(({ kind, range }) => kind === "text" && trimmed(text, range) !== null);
  if (name === "schema") return children.every(({ kind }) => kind === "text");
  return !isText && (name !== "script" || children.length > 0) && elementsOf(element).every((child) => isWritable(child, text));
}

function codesOf(text: string, { project }: Handed): readonly string[] {
  return compile({ path: "flow.woml", text }, project)
    .diagnostics.map(({ code }) => code)
    .sort();
}

test("there are many such documents", () => {
  assert.ok(sound.length > 90, `${sound.length}`);
});

describe("a document means the same", () => {
  for (const [name, written] of [
    ["printed", (text: string) => print(treeOf(text), text)],
    ["printed twice", (text: string) => print(treeOf(print(treeOf(text), text)), print(treeOf(text), text))],
    ["between blanks and comments", (text: string) => ` \n\t<!-- it begins -->${text.replace(/^\ufeff/, "")}<!-- it ends -->\r\n`],
  ] as const) {
    test(name, () => {
      for (const one of sound) assert.deepEqual(meant(written(one.text), one), one.definition, one.path);
    });
  }

  test("with other line ends, but for the bytes of these", () => {
    for (const one of sound) {
      const text = one.text.replace(/\r?\n/g, "\r\n");
      assert.deepEqual(withLineFeeds(meant(text, one)), withLineFeeds(one.definition), one.path);
    }
  });

  test("with its attributes in any order and quotes, and blanks and comments between its elements", () => {
    fc.assert(
      fc.property(fc.constantFrom(...sound), fc.infiniteStream(fc.nat(999)), (one, stream) => {
        const text = write(markupOf(treeOf(one.text), one.text), () => stream.next().value ?? 0);
        assert.deepEqual(meant(text, one), one.definition, one.path);
      }),
      { numRuns: tried(500) },
    );
  });

  test("under any path, and its bytes are the same", () => {
    for (const one of sound.filter(({ project }) => project.files.size + project.modules.size === 0)) {
      const { definition } = compile({ path: "elsewhere/other.woml", text: one.text });
      assert.ok(definition);
      assert.equal(canonical(definition), canonical(one.definition), one.path);
    }
  });
});

test("what is wrong with a document is wrong with it however it is written", () => {
  const short = handed.filter(({ text }) => text.length < 20_000);
  const trees = short.flatMap((one) => {
    const findings = new Findings();
    const root = parse(one.text, findings);
    return root && !findings.hasError && isWritable(root, one.text) ? [{ ...one, root }] : [];
  });
  assert.ok(trees.length > 500, `${trees.length}`);
  fc.assert(
    fc.property(fc.constantFrom(...trees), fc.infiniteStream(fc.nat(999)), (one, stream) => {
      const text = write(markupOf(one.root, one.text), () => stream.next().value ?? 0);
      assert.deepEqual(codesOf(text, one), codesOf(one.text, one), one.path);
    }),
    { numRuns: tried(1_000) },
  );
});

/** Every element of a tree but its root. */
const within = (element: Element): readonly Element[] => elementsOf(element).flatMap((child) => [child, ...within(child)]);

for (const [name, edited] of [
  [
    "an element that the language does not have",
    (text: string, { range }: Element) => `${text.slice(0, range.start)}<nothing />${text.slice(range.start)}`,
  ],
  [
    "an attribute that no element has",
    (text: string, { name: tag, range }: Element) => {
      const at = range.start + 1 + tag.length;
      return `${text.slice(0, at)} zz-top="1"${text.slice(at)}`;
    },
  ],
] as const) {
  test(`${name} is one fault, wherever it stands`, () => {
    fc.assert(
      fc.property(fc.constantFrom(...sound), fc.nat(), (one, at) => {
        const elements = within(treeOf(one.text));
        const element = elements[at % elements.length];
        assert.ok(element);
        const { diagnostics } = compile({ path: "flow.woml", text: edited(one.text, element) }, one.project);
        const errors = diagnostics.filter(({ severity }) => severity === "error").map(({ code }) => code);
        assert.equal(errors.length, 1, `${one.path} ${element.name} ${errors.join(" ")}`);
      }),
      { numRuns: tried(700) },
    );
  });
}
