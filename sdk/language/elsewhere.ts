const WORDS: readonly (readonly [words: string, elements: string])[] = [
  ["if condition", "choose"],
  ["elseif else-if elif if", "when"],
  ["else", "otherwise default"],
  ["match select", "switch"],
  ["loop each map while repeat", "for-each"],
  ["concurrent all group", "parallel"],
  ["split join", "fork"],
  ["task action job node run call code function", "step"],
  ["code js javascript run function", "script"],
  ["output return", "result"],
  ["cron timer", "schedule"],
  ["every", "interval"],
  ["hook http", "webhook"],
  ["signal message", "event"],
  ["confirm review wait-for", "approval"],
  ["approved accepted yes then", "when-approved"],
  ["rejected declined no else", "when-rejected"],
  ["import include require", "module"],
  ["on", "triggers"],
  ["settings policy options", "config"],
  ["hooks", "lifecycle"],
  ["on-fail catch", "on-error"],
  ["finally on-finish on-end", "on-complete"],
];

/** What WOML calls that for which other languages have such a word, of what may stand here; null when there is nothing of it. */
export function calledHere(word: string, taken: readonly string[]): string | null {
  const meant = WORDS.filter(([words]) => words.split(" ").includes(word)).flatMap(([, elements]) => elements.split(" "));
  return meant.find((element) => taken.includes(element)) ?? null;
}
