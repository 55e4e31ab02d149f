import { namesSecret } from "../../reference.ts";
import type { Rule } from "../../visit.ts";

/** No attribute that this version runs may hold a secret. */
export const noSecret: Rule = (findings) => (element) => {
  for (const attribute of element.attributes.values()) {
    if (!namesSecret(attribute.value ?? "")) continue;
    findings.onValue(attribute, {
      code: "WOML_SECRET_SINK_UNSUPPORTED",
      message: `The attribute ${attribute.name} may not name a secret.`,
      hint: "Only attributes made for credentials take a secret.",
    });
  }
};
