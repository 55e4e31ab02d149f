export function* run(): Generator<number> {
  yield 1;
}
