import { isAbsolute } from "node:path";
import { publicOf, seal } from "../envelope.ts";

/** How one variable's text is read. Throws an Error whose message goes behind the variable's name: "… is not a whole number of 1 to 9". */
export type Read<T> = (text: string) => T;
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

export const folder: Read<string> = (given) => {
  if (isAbsolute(given)) return given;
  throw new Error("is not a path that begins with /");
};

/** What secrets are sealed with. */
export const sealing: Read<string> = keyRead((key) => seal(key, { tenant: "", name: "" }, ""), "public");
export const unsealing: Read<string> = keyRead(publicOf, "private");

function keyRead(tried: (key: string) => unknown, which: string): Read<string> {
  return (given) => {
    try {
      tried(given);
    } catch {
      throw new Error(`is not the ${which} key of a pair: \`woml admin seal-keys\` makes one`);
    }
    return given;
  };
}

/** `name=value` separated by commas. */
export const headers: Read<string> = (given) => {
  const parts = text(given).split(",");
  if (parts.every((part) => /^[!#$%&'*+.^_`|~0-9A-Za-z-]+=./.test(part))) return given;
  throw new Error("is not name=value separated by commas");
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
