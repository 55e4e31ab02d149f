// Named exports are what scripts call.
export default function run(): number {
  return 1;
}
