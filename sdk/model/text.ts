/** By UTF-16 code units: the one order of ids in this house. */
export const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Length in UTF-8, in bytes; a lone surrogate counts the three bytes of U+FFFD, as an encoder would write it. */
export function utf8Bytes(text: string): number {
  let bytes = text.length;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0x80) continue;
    if (unit < 0x800) bytes += 1;
    else if (isHigh(unit) && isLow(text.charCodeAt(i + 1))) {
      bytes += 2;
      i += 1;
    } else bytes += 2;
  }
  return bytes;
}

const isHigh = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;
const isLow = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff;

/** What an author wrote, fit to stand in a message: short, on one line, without control characters. */
export function quoted(text: string): string {
  const short = text.length > 60 ? `${text.slice(0, 57)}...` : text;
  return `"${printable(short)}"`;
}

/** Control and direction characters could rewrite a terminal's line; they are shown as a blank. So is a BOM, which would shift the line. */
export const printable = (text: string): string =>
  text.toWellFormed().replace(/[\p{Cc}\u061c\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu, " ");
