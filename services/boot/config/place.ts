// Texts that say where something is: URLs and addresses. A URL may hold a password, so no message quotes one.
import { isIPv4, isIPv6 } from "node:net";
import type { Read } from "./kind.ts";

/** A host and a port; IPv6 in brackets. */
export interface Address {
  readonly host: string;
  readonly port: number;
}

/** Of PostgreSQL, with the database's name; the host may be a folder of sockets: `postgres:///woml?host=/run/postgresql`. */
export const database: Read<string> = (given) => {
  const { pathname } = parsed(given, ["postgres:", "postgresql:"]);
  if (pathname.length > 1) return given;
  throw new Error("names no database: it ends in /NAME");
};

export const redis: Read<string> = (given) => {
  const { pathname } = parsed(given, ["redis:", "rediss:"]);
  if (/^(\/\d{0,5})?$/.test(pathname)) return given;
  throw new Error("names a database that is no number: it ends in /0, or in nothing");
};

/** One that is printed, so it holds nothing that opens something. */
export const endpoint: Read<string> = (given) => {
  const { username, password, search, hash } = parsed(given, ["http:", "https:"]);
  if (username !== "" || password !== "") throw new Error("holds a name or password: headers are the place for these");
  if (search !== "" || hash !== "") throw new Error("goes on after its path: what is sent has a path of its own put behind it");
  return given;
};

function parsed(given: string, schemes: readonly string[]): URL {
  const found = URL.parse(given);
  const begins = schemes.map((scheme) => `${scheme}//`);
  if (found === null || !begins.some((begin) => given.toLowerCase().startsWith(begin)))
    throw new Error(`is not a URL that begins with ${begins.join(" or ")}`);
  const isSocket = schemes.includes("postgres:") && found.searchParams.has("host");
  if (found.hostname === "" && !isSocket) throw new Error("is a URL without a host");
  if (found.hostname.includes(",")) throw new Error("names more than one host");
  if ([found.username, found.password, found.pathname].every(isDecodable)) return found;
  throw new Error("has a % in it that begins no character: %25 stands for it");
}

function isDecodable(part: string): boolean {
  try {
    return decodeURIComponent(part) !== null;
  } catch {
    return false;
  }
}

const PLACE = /^(?:\[([0-9a-f:.]+)\]|([a-z0-9._-]+)):(\d{1,5})$/i;
const LABEL = /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/i;

function isHost(text: string): boolean {
  if (/^[\d.]+$/.test(text)) return isIPv4(text);
  const labels = text.replace(/\.$/, "").split(".");
  return text.length <= 253 && labels.every((label) => LABEL.test(label));
}

/** Where to listen; port 0 takes a free one. */
export const address: Read<Address> = (given) => {
  const [, bracketed, plain, digits = ""] = PLACE.exec(given) ?? [];
  const host = bracketed ?? plain;
  const isRight = bracketed === undefined ? isHost(plain ?? "") : isIPv6(bracketed);
  if (host !== undefined && isRight && Number(digits) <= 65_535) return { host, port: Number(digits) };
  throw new Error("is not HOST:PORT, such as 127.0.0.1:7331 or [::1]:7331");
};

/** Where somebody else listens. */
export const place: Read<Address> = (given) => {
  const found = address(given);
  if (found.port > 0) return found;
  throw new Error("names port 0, where nobody listens");
};

/** As a URL has it: in lower case, IPv6 in brackets. */
export const authority: Read<string> = (given) => {
  place(given);
  return given.toLowerCase();
};

/** The same, or a host alone. */
export const host: Read<string> = (given) => {
  if (isHost(given) || (/^\[.*\]$/.test(given) && isIPv6(given.slice(1, -1)))) return given.toLowerCase();
  try {
    return authority(given);
  } catch {
    throw new Error("is neither a host's name or address nor HOST:PORT");
  }
};
