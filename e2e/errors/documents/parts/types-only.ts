import { total, type Line } from "./prices.ts";
import type { Line as Missing } from "./prices.ts";

export type Basket = { readonly lines: readonly Line[] };
export interface Named { readonly name: string }
enum Size { Small, Large }
const inner = function* (): Generator<number> { yield Size.Large; };

export function run<T extends Basket>(basket: T, _missing?: Missing): number {
  return total(basket.lines satisfies readonly Line[]) + ([...inner()][0] as number) + basket.lines.length!;
}
async function load(): Promise<number> { return 1; }
