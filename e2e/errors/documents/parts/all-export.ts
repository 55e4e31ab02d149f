export function run(): number {
  return 1;
}
export * from "./prices.ts";
