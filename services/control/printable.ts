// Texts that are shown to people, and in terminals: no control characters, no halves of characters, no breaks of lines, and none of the
// characters that turn the direction of what stands beside them, with which one name can look like another.
const UNPRINTABLE = "\\p{Cc}\\p{Cs}\\p{Zl}\\p{Zp}\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069";

/** Matches 1 to `most` printable characters. */
export const printable = (most: number): RegExp => new RegExp(`^[^${UNPRINTABLE}]{1,${most}}$`, "u");
