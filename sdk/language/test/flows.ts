import type { Project } from "../index.ts";

/** An element to be written; a child that is a text is the body of a script or schema. */
export interface Markup {
  readonly name: string;
  readonly attributes: readonly (readonly [string, string])[];
  readonly children: readonly (Markup | string)[];
}
/** The next of a stream of numbers, all below 1,000. */
export type Draw = () => number;

const node = (name: string, attributes: Markup["attributes"] = [], children: Markup["children"] = []): Markup => ({
  name,
  attributes,
  children,
});

/** Whether references name only what they can see, or anything: then `refused` counts those that cannot. */
export interface Made {
  readonly root: Markup;
  readonly refused: number;
}
export const PROJECT: Project = {
  files: new Map([
    [
      "tax.woml",
      '<woml><props><prop name="rate" /><prop name="api-key" secret="true" /></props><step><script>return [props.rate, context.payload];</script></step></woml>',
    ],
  ]),
  modules: new Map(),
};

/** A workflow of every construct, to `depth` groups in each other. */
export function workflowOf(draw: Draw, depth: number, wild = false): Made {
  const flow = new Flow(draw, wild);
  const items = flow.items(depth, { known: [], loop: false, branch: false });
  const steps = node("steps", [], [...items, node("step", [["id", "last"]], [node("script", [], ["return { done: 1 < 2 };"])])]);
  const parts = [
    steps,
    node(
      "triggers",
      [],
      [node("manual", [["id", "go"]]), node("webhook", WEBHOOK, [node("schema", [], ['{ "type": ["object"], "title": "a &amp; b" }'])])],
    ),
    ...some(draw, node("config", [["timeout", "90m"]])),
    ...some(draw, node("lifecycle", [], [node("on-error", [], [node("script", [], ["return 1;"])])])),
  ];
  const imports = node(
    "imports",
    [],
    [
      node("module", [
        ["name", "add-tax"],
        ["from", "./tax.woml"],
      ]),
    ],
  );
  const named = maybe(draw, "name", 'a "name" & <more>');
  const root = node("woml", [], [imports, node("workflow", [["id", "w-1"], ...named], shuffled(draw, parts))]);
  return { root, refused: flow.refused };
}

const WEBHOOK: Markup["attributes"] = [
  ["id", "hook"],
  ["path", "/a/b"],
  ["auth", "bearer"],
  ["secret", "{{secrets.HOOK}}"],
];
const maybe = (draw: Draw, name: string, value: string): Markup["attributes"] => (draw() % 3 === 0 ? [[name, value]] : []);
const some = (draw: Draw, part: Markup): readonly Markup[] => (draw() % 2 === 0 ? [part] : []);

function shuffled<T>(draw: Draw, list: readonly T[]): readonly T[] {
  return list
    .map((value) => [draw(), value] as const)
    .toSorted(([a], [b]) => a - b)
    .map(([, value]) => value);
}

/** What is certain where an item stands, and what may not stand there. */
interface Place {
  readonly known: readonly string[];
  readonly loop: boolean;
  readonly branch: boolean;
}
/** What an item makes certain behind it. */
interface Item {
  readonly written: Markup;
  readonly made: readonly string[];
}

class Flow {
  readonly #draw: Draw;
  readonly #wild: boolean;
  #ids = 0;
  refused = 0;

  constructor(draw: Draw, wild: boolean) {
    this.#draw = draw;
    this.#wild = wild;
  }

  items(level: number, place: Place): readonly Markup[] {
    return this.#flow(level, place).written;
  }

  #flow(level: number, place: Place): { readonly written: readonly Markup[]; readonly known: readonly string[] } {
    const written: Markup[] = [];
    const known = [...place.known];
    for (let count = 1 + (this.#draw() % 3); count > 0; count--) {
      const item = this.#item(level, { ...place, known });
      written.push(item.written);
      known.push(...item.made);
    }
    return { written, known };
  }

  #item(level: number, place: Place): Item {
    if (level === 0) return this.#step(place);
    switch (this.#draw() % 9) {
      case 0:
      case 1:
        return this.#step(place);
      case 2:
        return this.#parallel(place);
      case 3:
        return this.#choose(level, place);
      case 4:
        return this.#switch(level, place);
      case 5:
        return place.loop || place.branch ? this.#step(place) : this.#fork(level, place);
      case 6:
        return place.loop ? this.#step(place) : this.#loop(level, place);
      case 7:
        return place.loop ? this.#step(place) : this.#approval(level, place);
      default:
        return this.#tag(place);
    }
  }

  #step({ known }: Place): Item {
    const id = this.#id();
    const retry: Markup["attributes"] =
      this.#draw() % 4 === 0
        ? [
            ["retry", "3"],
            ["retry-backoff", "fixed"],
            ["retry-delay", "1.5s"],
          ]
        : [];
    const body = `return context.steps.${known[0] ?? "last"} ?? "<a>${id}</a>";`;
    return {
      written: node("step", [["id", id], ...this.#labels(), ...retry], [node("script", [], [known.length > 0 ? body : "return 1;"])]),
      made: [id],
    };
  }

  #tag(place: Place): Item {
    const id = this.#id();
    const rate: Markup["attributes"] = this.#draw() % 2 === 0 ? [["rate", this.#reference(place)]] : [["rate", "7 % & more"]];
    return { written: node("add-tax", [["id", id], ...rate, ...maybe(this.#draw, "api-key", "{{secrets.TAX}}")]), made: [id] };
  }

  #parallel(place: Place): Item {
    const id = this.#id();
    const children = Array.from({ length: 1 + (this.#draw() % 3) }, () => (this.#draw() % 3 === 0 ? this.#tag(place) : this.#step(place)));
    const more = [...maybe(this.#draw, "on-error", "wait-all"), ...maybe(this.#draw, "concurrency", "1")];
    return {
      written: node(
        "parallel",
        [["id", id], ...this.#labels(), ...more],
        children.map(({ written }) => written),
      ),
      made: children.flatMap(({ made }) => made),
    };
  }

  #choose(level: number, place: Place): Item {
    const tests = Array.from({ length: 1 + (this.#draw() % 2) }, () => this.#reference(place));
    const id = this.#draw() % 3 === 0 ? null : this.#id();
    const arms = [
      ...tests.map((test) => node("when", [["test", test]], this.#arm(level, place, id))),
      node("otherwise", [], this.#arm(level, place, id)),
    ];
    const word = id !== null && this.#draw() % 5 === 0 ? "branch" : "choose";
    return this.#choice(word, id, [], arms);
  }

  #switch(level: number, place: Place): Item {
    const value = this.#reference(place);
    const id = this.#draw() % 3 === 0 ? null : this.#id();
    const cases = ["a", "{{b}}", " c&lt;"].slice(0, 1 + (this.#draw() % 3));
    const arms = [
      ...cases.map((text) => node("case", [["value", text]], this.#arm(level, place, id))),
      node("default", [], this.#arm(level, place, id)),
    ];
    return this.#choice("switch", id, [["value", value]], arms);
  }

  #choice(word: string, id: string | null, more: Markup["attributes"], arms: readonly Markup[]): Item {
    const named: Markup["attributes"] = id === null ? [] : [["id", id], ...this.#labels()];
    return { written: node(word, [...named, ...more], arms), made: id === null ? [] : [id] };
  }

  #arm(level: number, place: Place, id: string | null): readonly Markup[] {
    const { written, known } = this.#flow(level - 1, place);
    return id === null ? written : [...written, node("result", [["value", this.#reference({ ...place, known })]])];
  }

  #fork(level: number, place: Place): Item {
    const id = this.#id();
    const names = ["a", "b", "c"].slice(0, 1 + (this.#draw() % 3));
    const joins = ["all", "none", "a", names.toReversed().join(" ")];
    const join = this.#draw() % 3 === 0 ? null : (joins[this.#draw() % joins.length] ?? null);
    const branches = names.map((name) => ({ name, flow: this.#flow(level - 1, { ...place, branch: true }) }));
    const isJoined = (name: string): boolean => join === null || join === "all" || join.split(" ").includes(name);
    return {
      written: node(
        "fork",
        [["id", id], ...(join === null ? [] : ([["join", join]] as const))],
        branches.map(({ name, flow }) => node("branch", [["id", name]], flow.written)),
      ),
      made: branches.flatMap(({ name, flow }) => (isJoined(name) ? flow.known.slice(place.known.length) : [])),
    };
  }

  #loop(level: number, place: Place): Item {
    const id = this.#id();
    const items = this.#reference({ ...place, loop: false }).replace("context.trigger", "context.payload");
    const inside = { ...place, loop: true };
    const { written, known } = this.#flow(level - 1, inside);
    const result = this.#draw() % 2 === 0 ? [node("result", [["value", this.#reference({ ...inside, known })]])] : [];
    const attributes: Markup["attributes"] = [["id", id], ["items", items], ...this.#labels(), ...maybe(this.#draw, "concurrency", "8")];
    return { written: node("for-each", attributes, [...written, ...result]), made: [id] };
  }

  #approval(level: number, place: Place): Item {
    const id = this.#id();
    const arm = (name: string): Markup =>
      node(name, [], this.#draw() % 2 === 0 ? [] : this.#flow(level - 1, { ...place, known: [...place.known, id] }).written);
    const telegram = node("telegram", [
      ["chats", "1, -22"],
      ["bot-token", "{{secrets.BOT}}"],
    ]);
    const waiting: Markup["attributes"] = this.#draw() % 2 === 0 ? [["timeout", "24h"], ...maybe(this.#draw, "on-timeout", "reject")] : [];
    const children = [...some(this.#draw, node("notify", [], [telegram])), arm("when-approved"), arm("when-rejected")];
    return { written: node("approval", [["id", id], ...this.#labels(), ...waiting], children), made: [id] };
  }

  /** One that is seen; when anything goes, one of all ids there were, and a few there never are. */
  #reference({ known, loop }: Place): string {
    if (this.#wild && this.#draw() % 4 === 0) {
      const id = `n${this.#draw() % (this.#ids + 3)}`;
      if (!known.includes(id)) this.refused += 1;
      return `{{context.steps.${id}.x}}`;
    }
    const seen = known[this.#draw() % (known.length + 1)];
    if (seen !== undefined) return `{{context.steps.${seen}.x}}`;
    const others = loop ? ["item.x", "iteration.index", "payload"] : ["payload.x", "trigger"];
    return `{{context.${others[this.#draw() % others.length]}}}`;
  }

  #id(): string {
    this.#ids += 1;
    return `n${this.#ids - 1}`;
  }

  #labels(): Markup["attributes"] {
    return maybe(this.#draw, "description", "what it's for\n\tand why: a &lt; b");
  }
}

const ESCAPES: Readonly<Record<string, string>> = { "<": "&lt;", ">": "&gt;", "&": "&amp;", '"': "&quot;", "'": "&apos;" };
/** Blanks and comments that say nothing. */
const FILLS: readonly string[] = ["", " ", "\n", "\r\n\t", "<!-- a comment -->", "\n<!-- <script> -->\n"];

/** Writes a tree one way of many: attributes, quotes, blanks and comments as they are drawn. */
export function write(markup: Markup, draw: Draw): string {
  const fill = (): string => FILLS[draw() % FILLS.length] ?? "";
  const attributes = shuffled(draw, markup.attributes).map(([name, value]) => {
    const quote = draw() % 2 === 0 ? '"' : "'";
    return `${draw() % 2 === 0 ? " " : "\n  "}${name}=${quote}${value.replace(/[<>&"']/g, (character) => ESCAPES[character] ?? "")}${quote}`;
  });
  const open = `<${markup.name}${attributes.join("")}`;
  const isText = markup.children.some((child) => typeof child === "string");
  if (isText) return `${open}>${markup.children.join("")}</${markup.name}>`;
  if (markup.children.length === 0 && draw() % 2 === 0) return `${open} />`;
  const children = markup.children.map((child) => (typeof child === "string" ? child : fill() + write(child, draw)));
  return `${open}>${children.join("")}${fill()}</${markup.name}${draw() % 2 === 0 ? " " : ""}>`;
}
