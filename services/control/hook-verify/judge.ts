import type { Verification } from "@woml/model";
import type { Came, KnownSecret, Verdict } from "./came.ts";
import { byDeclared } from "./declared.ts";
import { byGithub, bySlack, byStripe } from "./preset.ts";
import { byStandard } from "./standard.ts";

/** Who sent this, by one of the secrets: pure, and of nothing but the headers and the bytes as they came. */
export function judge(came: Came, verification: Verification, secrets: readonly KnownSecret[]): Verdict {
  switch (verification.scheme) {
    case "standard":
      return byStandard(came, secrets);
    case "github":
      return byGithub(came, secrets);
    case "stripe":
      return byStripe(came, secrets);
    case "slack":
      return bySlack(came, secrets);
    case "hmac":
      return byDeclared(came, secrets, verification);
  }
}
