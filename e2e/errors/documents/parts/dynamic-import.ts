export async function run(): Promise<number> {
  const { total } = await import("./prices.ts");
  return total([]);
}
