export function pad(text) {
  return text.padStart(10, "0");
}
