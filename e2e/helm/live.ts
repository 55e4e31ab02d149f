import type { Fact } from "./fact.ts";
import type { Judged } from "./judge.ts";
export async function tellLive(
  _judged: ReadonlyMap<string, Judged>,
  _around: { tell(fact: Fact): void; skip(name: string, why: string): void },
): Promise<void> {}
