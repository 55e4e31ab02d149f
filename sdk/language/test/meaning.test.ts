// What is written another way means the same: held for every document of the corpus, and for every sample, that is a workflow.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, test } from "node:test";
import { canonical, type Definition } from "@woml/model";
import fc from "fast-check";
import { Findings } from "../findings.ts";
import { type Bundle, compile, outline, type Project } from "../index.ts";
import { parse } from "../parser.ts";
import { print } from "../print.ts";
import type { Child, Element } from "../tree.ts";
import { type Markup, write } from "./flows.ts";

const CORPUS = join(import.meta.dirname, "../../../e2e/conformance/documents");
const SAMPLES = join(import.meta.dirname, "samples");

interface Sound {
  readonly path: string;
  readonly text: string;
  readonly project: Project;
  readonly definition: Definition;
}

const sound: readonly Sound[] = [CORPUS, SAMPLES].flatMap((folder) =>
  readdirSync(folder)
    .filter((name) => name.endsWith(".woml"))
    .flatMap((name) => soundIn(join(folder, name))),
);

function soundIn(path: string): readonly Sound[] {
  const text = readFileSync(path, "utf8");
  const read = (file: string): string | undefined => textAt(join(dirname(path), file));
  const { files, modules } = outline({ path: "flow.woml", text }, read);
  const project = { files, modules: new Map(modules.map((file) => [file, bundleOf(read(file) ?? "")])) };
  const { definition } = compile({ path: "flow.woml", text }, project);
  return definition ? [{ path, text, project, definition }] : [];
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

/** Every script's bytes as if lines had ended in LF alone, and nothing else. */
function withLineFeeds(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withLineFeeds);
  if (typeof value !== "object" || value === null) return value;
  const parts = Object.entries(value).map(([key, part]): [string, unknown] => {
    return [key, key === "source" && typeof part === "string" ? part.replaceAll("\r\n", "\n") : withLineFeeds(part)];
  });
  return Object.fromEntries(parts);
}

function markupOf({ name, attributes, children }: Element, text: string): Markup {
  const written = ({ range }: Child): string => text.slice(range.start, range.end);
  const held = children.flatMap((child) => {
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

  test("with other line ends, but for the bytes of scripts", () => {
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
      { numRuns: 500 },
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
