const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/** The UTF-8 of a text in base64; here nothing is presumed of the machine but the language. */
export function base64Of(text: string): string {
  const bytes = [...encodeURIComponent(text.toWellFormed()).matchAll(/%(..)|[^%]/g)].map(([one, hex]) =>
    hex === undefined ? one.charCodeAt(0) : Number.parseInt(hex, 16),
  );
  let out = "";
  for (let i = 0; i < bytes.length; i += 3) {
    const [a = 0, b = 0, c = 0] = bytes.slice(i, i + 3);
    const bits = (a << 16) | (b << 8) | c;
    const four = [18, 12, 6, 0].map((shift) => DIGITS[(bits >> shift) & 63]).join("");
    out += four.slice(0, Math.min(4, bytes.length - i + 1)).padEnd(4, "=");
  }
  return out;
}
