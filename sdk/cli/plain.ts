// What a script returned or threw must not steer the terminal that shows it: control characters, and those that turn the direction of text.
const STEERING = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

/** The text with every steering character written as `\uXXXX`; line breaks and tabs become blanks. */
export function plain(text: string): string {
  return escaped(text.replace(/\r?\n|\t/g, " "));
}

/** As `plain`, but keeps line breaks and tabs. */
export function escaped(text: string): string {
  return text.replace(STEERING, (char) => (/[\n\t]/.test(char) ? char : `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`));
}
