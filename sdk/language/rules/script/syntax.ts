import { SOURCE_BYTES } from "@woml/model/laws";
import { splitHint } from "../../script-end.ts";
import { overrun } from "../../source.ts";
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
    const { fault, start } = read(element);
    if (!fault) return;
    const { message } = fault;
    const range = { start: start + fault.offset, end: start + fault.offset + 1 };
    if (fault.fault === "excess") findings.add(range, { code: "WOML_SCRIPT_TOO_COMPLEX", message, hint: "Split the step." });
    else {
      const written = /^'(?:import|export)/.test(message) ? IMPORT_HINT : SYNTAX_HINT;
      findings.add(range, { code: "WOML_SCRIPT_SYNTAX_INVALID", message, hint: (raw && splitHint(text, raw.range)) ?? written });
    }
  };
