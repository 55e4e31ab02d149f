import { SOURCE_BYTES } from "@woml/model/laws";
import type { Remark } from "../../diagnostic.ts";
import { splitHint } from "../../script-end.ts";
import { overrun, type Range } from "../../source.ts";
import type { Rule } from "../../visit.ts";

const SYNTAX_HINT = "A script is the body of an async JavaScript function.";
const IMPORT_HINT = `${SYNTAX_HINT} What it shares with others stands in a file that <module> imports: services.<name>.<function>(…).`;

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
    const { fault, unstrict, start } = read(element);
    const at = ({ offset }: { readonly offset: number }): Range => ({ start: start + offset, end: start + offset + 1 });
    if (unstrict) findings.add(at(unstrict), unstrictly(unstrict.message));
    if (fault?.fault === "excess")
      findings.add(at(fault), { code: "WOML_SCRIPT_TOO_COMPLEX", message: fault.message, hint: "Split the step." });
    else if (fault) findings.add(at(fault), wrong(fault.message, raw && splitHint(text, raw.range)));
  };

const wrong = (message: string, hint: string | null | undefined): Remark => ({
  code: "WOML_SCRIPT_SYNTAX_INVALID",
  message,
  hint: hint ?? (/^'(?:import|export)/.test(message) ? IMPORT_HINT : SYNTAX_HINT),
});
/** WOML 1.0 takes it, and it never runs. */
const unstrictly = (message: string): Remark => ({
  code: "WOML_SCRIPT_SYNTAX_INVALID",
  severity: "warning",
  message: `${message} A script runs in strict mode, which does not allow this: it fails when it runs.`,
  hint: "Write it as strict mode has it.",
});
