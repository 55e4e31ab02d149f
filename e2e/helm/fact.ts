/** One thing that was looked at: a line of what `npm run helm` says. */
export interface Fact {
  readonly name: string;
  readonly outcome: "ok" | "wrong" | "skipped";
  readonly figure: string;
  /** What is wrong, in full. */
  readonly faults: readonly string[];
}
export type Tell = (fact: Fact) => void;

export function fact(name: string, figure: string, faults: readonly string[] = []): Fact {
  return { name, outcome: faults.length === 0 ? "ok" : "wrong", figure, faults };
}

/** Text: a line each, and what is wrong below it. JSON: a line each. */
export function line({ name, outcome, figure, faults }: Fact, json: boolean): string {
  if (json) return JSON.stringify({ name, outcome, figure, faults });
  return [
    `${outcome.padEnd(7)} ${name.padEnd(44)} ${figure}`,
    ...faults.map((fault) => `        ${fault.replaceAll("\n", "\n          ")}`),
  ].join("\n");
}
