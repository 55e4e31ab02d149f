/** How one variable's text is read. Throws an Error whose message goes behind the variable's name: "… is not a whole number of 1 to 9". */
export type Read<T> = (text: string) => T;
/** A host and a port; IPv6 in brackets. */
export interface Address {
  readonly host: string;
  readonly port: number;
}

const SECRET_CHARACTERS = 32;

export function whole(least: number, most: number): Read<number> {
  return (text) => {
    const value = Number(text);
    if (/^\d{1,15}$/.test(text) && value >= least && value <= most) return value;
    throw new Error(`is not a whole number of ${least} to ${most}`);
  };
}

export function choice<const T extends string>(...words: readonly T[]): Read<T> {
  return (text) => {
    const found = words.find((word) => word === text);
    if (found !== undefined) return found;
    throw new Error(`is none of ${words.join(", ")}`);
  };
}

export const flag: Read<boolean> = (text) => choice("on", "off")(text) === "on";

export const text: Read<string> = (given) => {
  if (/^[\x21-\x7e]{1,4096}$/.test(given)) return given;
  throw new Error("is not a text of 1 to 4096 printable characters without blanks");
};

/** A URL of one of these schemes (`postgres:`). It may hold a password, so no message quotes it. */
export function url(...schemes: readonly string[]): Read<string> {
  return (given) => {
    if (URL.canParse(given) && schemes.includes(new URL(given).protocol)) return given;
    throw new Error(`is not a URL that begins with ${schemes.map((scheme) => `${scheme}//`).join(" or ")}`);
  };
}

export const address: Read<Address> = (given) => {
  const [, bracketed, plain, digits = ""] = /^(?:\[([0-9a-f:.]+)\]|([a-z0-9.-]+)):(\d{1,5})$/i.exec(given) ?? [];
  const host = bracketed ?? plain;
  if (host !== undefined && Number(digits) <= 65_535) return { host, port: Number(digits) };
  throw new Error("is not HOST:PORT, such as 127.0.0.1:7331 or [::1]:7331");
};

/** Separated by commas; blanks around them do not count. */
export function list<T>(of: Read<T>, most: number): Read<readonly T[]> {
  return (given) => {
    const parts = given.split(",").map((part) => part.trim());
    if (parts.length > most) throw new Error(`holds more than ${most} entries`);
    return parts.map((part, at) => {
      try {
        return of(part);
      } catch (error) {
        throw new Error(`has an entry (number ${at + 1}) that ${error instanceof Error ? error.message : String(error)}`);
      }
    });
  };
}

/** One that two processes share. */
export const shared: Read<string> = (given) => {
  if (/^[\x21-\x2b\x2d-\x7e]+$/.test(given) && given.length >= SECRET_CHARACTERS && given.length <= 512) return given;
  throw new Error(`is not a secret of ${SECRET_CHARACTERS} to 512 printable characters without blanks and commas`);
};
