export function run() {
  return require("./text/pad.js");
}
