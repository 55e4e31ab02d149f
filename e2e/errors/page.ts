import type { Entry } from "./entries.ts";

const HEAD = `# Errors of the language

Every code that \`woml check\` can answer, with its meaning and a document that raises it, as a terminal shows it. The line under
\`hint\` is the way out. \`npm run errors\` makes this page from the code tables and the documents in \`e2e/errors\` and \`e2e/conformance\`; a test holds
it to them.

Codes of runs, of the API and of the command line are in [codes](codes.md).
`;

/** docs/errors.md, codes in the order of the alphabet. */
export function pageOf(entries: readonly Entry[]): string {
  const sections = entries.toSorted((a, b) => (a.code < b.code ? -1 : 1)).map(section);
  return `${HEAD}\n${sections.join("\n")}`;
}

function section({ code, meaning, shown }: Entry): string {
  const example = shown === null ? "No document raises it." : `\`\`\`text\n${shown.replaceAll("```", "'''")}\n\`\`\``;
  return `## ${code}\n\n${meaning.replaceAll("<", "\\<")}\n\n${example}\n`;
}
