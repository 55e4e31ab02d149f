import { pad } from "./text/pad.js";

export function day(iso) {
  return pad(iso.slice(0, 10));
}
