import rates from "./rates.json";

export function run(): number {
  return rates.de;
}
