// docs/configuration.md is the table of settings, no more and no less.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { namesOf, ROLES, SETTINGS, type Setting, type SettingName } from "@woml/boot";

const page = readFileSync(join(import.meta.dirname, "..", "docs", "configuration.md"), "utf8");
const rows = [...page.matchAll(/^\| `([A-Z_]+)` +\| (.+?) +\| (.+?) +\| (.+?) +\|$/gm)].map(
  ([, name = "", ...cells]) => [name, ...cells] as const,
);

/** How the page says who reads it, and what it is where nothing is given. */
function rolesOf({ roles }: Setting<unknown>): string {
  return roles.length === ROLES.length ? "all" : roles.join(", ");
}
function usualOf({ usual, mayLack, isSecret }: Setting<unknown>): string {
  if (usual === undefined) return `${mayLack ? "none" : "**has to be given**"}${isSecret ? ", secret" : ""}`;
  if (typeof usual === "string") return `\`${usual}\``;
  return Object.entries(usual)
    .map(([role, text]) => `${role} \`${text}\``)
    .join(", ");
}

test("every setting stands on the page with its roles, its usual value and what it does", () => {
  const wanted = (Object.entries(SETTINGS) as [SettingName, Setting<unknown>][]).map(([name, one]) => [
    ...[name, rolesOf(one), usualOf(one)],
    one.says.replaceAll("|", "\\|"),
  ]);
  assert.deepEqual(rows, wanted);
});

test("what a role has to be given is said in one line for each", () => {
  for (const role of ROLES) {
    const needed = namesOf(role).filter((name) => {
      const one: Setting<unknown> = SETTINGS[name];
      return one.usual === undefined && !one.mayLack;
    });
    assert.ok(page.includes(`- **${role}**: ${needed.map((name) => `\`${name}\``).join(", ")}\n`), `${role}: ${needed.join(", ")}`);
  }
});
