import { day } from "./calendar.ts";

export function run(): string {
  return day();
}
