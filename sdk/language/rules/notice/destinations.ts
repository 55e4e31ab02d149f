import { DESTINATIONS, type Destination, itemsOf } from "../../destination.ts";
import type { Remark } from "../../diagnostic.ts";
import type { Findings } from "../../findings.ts";
import type { Item } from "../../list.ts";
import { quoted } from "../../source.ts";
import { isTag } from "../../tag.ts";
import type { Element } from "../../tree.ts";
import type { Rule } from "../../visit.ts";

/** Whom a `<notify>` tells: lists of destinations of the right form, and nobody twice by the same sender. */
export const destinations: Rule = (findings, document) => {
  let notify: Element | null = null;
  let told = new Set<string>();
  return (element) => {
    if (element.parent?.name !== "notify" || isTag(element, document)) return;
    const destination = DESTINATIONS.get(element.name);
    const attribute = element.attributes.get(destination?.attribute ?? "");
    if (!destination || !attribute || !findings.isSound(attribute)) return;
    if (notify !== element.parent) [notify, told] = [element.parent, new Set()];
    const items = itemsOf(element, document.text);
    const gap = gapIn(items, destination);
    if (gap) findings.onValue(attribute, gap);
    else judge(items, destination, { findings, ...toldBy(element, destination, { findings, told }) });
  };
};

function gapIn(items: readonly Item[], { empty, hint }: Destination): Remark | null {
  if (items.every(({ text }) => text === "")) return { code: empty, message: "Nobody is named here.", hint };
  if (items.some(({ text }) => text === "")) return { code: empty, message: "A place between the commas of this list is empty.", hint };
  return null;
}

interface Seen {
  readonly findings: Findings;
  /** Whoever has been told, each with its sender. */
  readonly told: Set<string>;
}

function judge(items: readonly Item[], destination: Destination, { findings, told, sender }: Seen & { readonly sender: string }): void {
  const { invalid, duplicate, form, hint } = destination;
  for (const { text, range } of items) {
    const key = `${sender} ${text}`;
    if (!form.test(text)) findings.add(range, { code: invalid, message: `${quoted(text)} names nobody.`, hint });
    else if (told.has(key)) findings.add(range, { code: duplicate, message: `${quoted(text)} is told already.`, hint: "Name it once." });
    told.add(key);
  }
}

/** As whom a provider tells. Where that cannot be said, which is reported, only its own list counts. */
function toldBy(provider: Element, { sender }: Destination, { findings, told }: Seen): Pick<Seen, "told"> & { readonly sender: string } {
  const parts = sender.map((name) => provider.attributes.get(name));
  if (!parts.every((part) => part && findings.isSound(part))) return { told: new Set(), sender: "" };
  return { told, sender: [provider.name, ...parts.map((part) => part?.value)].join(" ") };
}
