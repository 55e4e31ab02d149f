import type { Code } from "../../codes.ts";
import type { Remark } from "../../diagnostic.ts";
import type { Document } from "../../document.ts";
import type { Findings } from "../../findings.ts";
import type { HookEvent } from "../../hook.ts";
import { meaningOf } from "../../placeholder.ts";
import { executableSteps, type Steps } from "../../steps.ts";
import { type Placeholder, readTemplate, type Template } from "../../template.ts";
import type { Attribute } from "../../tree.ts";
import { within } from "../../within.ts";

/** In code units, as it is written. */
const LONGEST = 4_096;
const LONGEST_OF_CUSTOM = 16_384;
const MOST_PLACEHOLDERS = 32;

interface Place {
  readonly event: HookEvent;
  /** Of a provider that the author defines. */
  readonly isCustom: boolean;
}

/** What the hooks of a document say: templates whose values exist when they are told. */
export class Messages {
  readonly #findings: Findings;
  readonly #document: Document;
  #steps: Steps | undefined;

  constructor(findings: Findings, document: Document) {
    this.#findings = findings;
    this.#document = document;
  }

  /** The first thing that is wrong with a message. */
  judge(attribute: Attribute, { event, isCustom }: Place): void {
    const value = attribute.value ?? "";
    const template = readTemplate(value);
    const remark = lengthFault(value, isCustom) ?? templateFault(template);
    if (remark) this.#findings.onValue(attribute, remark);
    for (const placeholder of remark ? [] : placeholdersOf(template)) {
      const fault = this.#fault(placeholder, event);
      if (fault) this.#findings.onPart(attribute, within(attribute, placeholder.range, this.#document.text), fault);
    }
  }

  #fault(placeholder: Placeholder, event: HookEvent): Remark | null {
    const meaning = meaningOf(placeholder, event);
    if (meaning.kind === "invalid") return invalid(meaning.why, meaning.hint);
    if (meaning.kind === "value") return null;
    this.#steps ??= executableSteps(this.#document);
    return this.#steps.unknown(meaning.id);
  }
}

function lengthFault({ length }: string, isCustom: boolean): Remark | null {
  const longest = isCustom ? LONGEST_OF_CUSTOM : LONGEST;
  if (length >= 1 && length <= longest) return null;
  const code: Code = isCustom ? "WOML_PROVIDER_MESSAGE_INVALID" : "WOML_LIFECYCLE_TEMPLATE_INVALID";
  return length < 1
    ? { code, message: "The message is empty.", hint: "Say something." }
    : { code, message: `The message is longer than ${longest} characters.`, hint: "Shorten it." };
}

function templateFault(template: Template): Remark | null {
  if ("stray" in template) {
    const message = `The ${template.stray} at character ${template.at + 1} of the message has no partner.`;
    return invalid(message, "Write {{name}}. Two braces are never text.");
  }
  if (placeholdersOf(template).length <= MOST_PLACEHOLDERS) return null;
  return invalid(`The message has more than ${MOST_PLACEHOLDERS} placeholders.`, "Put the text together in a step.");
}

const placeholdersOf = (template: Template): readonly Placeholder[] =>
  "parts" in template ? template.parts.filter((part) => part.kind === "reference") : [];

const invalid = (message: string, hint: string): Remark => ({ code: "WOML_LIFECYCLE_TEMPLATE_INVALID", message, hint });
