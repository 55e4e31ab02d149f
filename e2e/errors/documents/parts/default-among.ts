export function run(): number {
  return 1;
}

export { run as default };
