export function run(): number {
  return 1;
}

export class Basket {}
