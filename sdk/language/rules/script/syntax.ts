import { SOURCE_BYTES } from "@woml/model";
import { overrun } from "../../source.ts";
import type { Rule } from "../../visit.ts";

const SYNTAX_HINT = "A script is the body of an async JavaScript function.";

/** A script is the body of an async function, of bounded length. */
export const scriptSyntax: Rule =
  (findings, { read }) =>
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
    const range = { start: start + fault.offset, end: start + fault.offset + 1 };
    if (fault.fault === "excess") findings.add(range, { code: "WOML_SCRIPT_TOO_COMPLEX", message: fault.message, hint: "Split the step." });
    else findings.add(range, { code: "WOML_SCRIPT_SYNTAX_INVALID", message: fault.message, hint: SYNTAX_HINT });
  };
