import { SOURCE_BYTES } from "@woml/model/laws";
import type { Remark } from "../../diagnostic.ts";
import { syntaxRemark } from "../../script/syntax-hint.ts";
import { splitHint } from "../../script-end.ts";
import { overrun, type Range } from "../../source.ts";
import type { Rule } from "../../visit.ts";

/** A script is the body of an async function, of bounded length. */
export const scriptSyntax: Rule =
  (findings, { read, text }) =>
  (element) => {
    if (element.name !== "script") return;
    const raw = element.children.find((child) => child.kind === "raw");
    const over = overrun(raw?.value ?? "", SOURCE_BYTES);
    if (raw && over !== null) {
      const message = `The script is longer than ${SOURCE_BYTES / 1024} KiB.`;
      findings.refuse(element);
      findings.add(
        { start: raw.range.start + over, end: raw.range.end },
        { code: "WOML_SCRIPT_SOURCE_TOO_LARGE", message, hint: "Split the step." },
      );
      return;
    }
    const { fault, unstrict, start, body } = read(element);
    const at = ({ offset }: { readonly offset: number }): Range => ({ start: start + offset, end: start + offset + 1 });
    if (unstrict) findings.add(at(unstrict), unstrictly(unstrict.message));
    if (fault?.fault === "excess")
      findings.add(at(fault), { code: "WOML_SCRIPT_TOO_COMPLEX", message: fault.message, hint: "Split the step." });
    else if (fault) {
      const { message, hint } = syntaxRemark(body, fault.offset, fault.message);
      // What looks like a closing tag is none of JavaScript: the script went on behind it.
      const split = raw && !body.startsWith("</", fault.offset) ? splitHint(text, raw.range) : null;
      findings.add(at(fault), { code: "WOML_SCRIPT_SYNTAX_INVALID", message, hint: split ?? hint });
    }
  };

/** WOML 1.0 takes it, and it never runs. */
const unstrictly = (message: string): Remark => ({
  code: "WOML_SCRIPT_SYNTAX_INVALID",
  severity: "warning",
  message: `${message} A script runs in strict mode, which does not allow this: it fails when it runs.`,
  hint: "Write it as strict mode has it.",
});
