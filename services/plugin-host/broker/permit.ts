import type { Manifest } from "@woml/capability";
import { isPublic, literal } from "./address.ts";
import { Refusal } from "./answer.ts";

const READS: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);
/** These are not requests to a server but ways through it. */
const NEVER: ReadonlySet<string> = new Set(["CONNECT", "TRACE"]);
const OWN_NAMES = /(^|\.)localhost$/;

/** What one hop is held against; everything that can be said before a name is looked up. */
export interface Rules {
  readonly manifest: Pick<Manifest, "id" | "permissions">;
  readonly readOnly: boolean;
  readonly privateHosts: ReadonlySet<string>;
  readonly ownHosts: ReadonlySet<string>;
}
/** Where a hop goes. `address`: the URL's host is this address and no name. `trusted`: an operator allows this host and port by name. */
export interface Place {
  readonly url: URL;
  readonly host: string;
  readonly port: number;
  readonly address: string | null;
  readonly trusted: boolean;
}

export function permit(text: string, method: string, rules: Rules): Place {
  const url = parsed(text);
  const host = nameOf(url.hostname);
  const port = Number(url.port === "" ? (url.protocol === "https:" ? 443 : 80) : url.port);
  const address = literal(host);
  const trusted = rules.privateHosts.has(`${host}:${port}`);
  methodAllowed(method, rules.readOnly);
  declared(rules.manifest, { host, port, method, trusted });
  if (rules.ownHosts.has(host) || rules.ownHosts.has(`${host}:${port}`)) throw forbidden(host, "is the platform itself");
  if (!trusted && (OWN_NAMES.test(host) || (address !== null && !isPublic(address)))) throw forbidden(host, "is not on the open network");
  return { url, host, port, address, trusted };
}

/** As it is compared: without the dot at the end that says "no search list". */
function nameOf(hostname: string): string {
  return hostname.toLowerCase().replace(/\.$/, "");
}

export function forbidden(host: string, why: string): Refusal {
  return new Refusal("WOML_EGRESS_ADDRESS_FORBIDDEN", `${host} ${why}.`);
}

function parsed(text: string): URL {
  const url = URL.parse(text);
  const invalid = (why: string): Refusal => new Refusal("WOML_EGRESS_URL_INVALID", `The URL ${why}.`);
  if (url === null) throw invalid("cannot be read");
  if (url.protocol !== "http:" && url.protocol !== "https:") throw invalid(`must begin with http:// or https://, not ${url.protocol}`);
  if (url.username !== "" || url.password !== "") throw invalid("must not name a user or a password");
  if (nameOf(url.hostname) === "") throw invalid("names no host");
  return url;
}

function methodAllowed(method: string, readOnly: boolean): void {
  if (NEVER.has(method)) throw new Refusal("WOML_EGRESS_METHOD_FORBIDDEN", `${method} is never allowed.`);
  if (readOnly && !READS.has(method)) {
    throw new Refusal("WOML_EGRESS_METHOD_FORBIDDEN", `${method} may have an effect, and this operation says that it has none.`);
  }
}

function declared(
  manifest: Rules["manifest"],
  asked: { readonly host: string; readonly port: number; readonly method: string; readonly trusted: boolean },
): void {
  const refused = (what: "HOST" | "PORT" | "METHOD", value: string | number): Refusal =>
    new Refusal(`WOML_EGRESS_${what}_UNDECLARED`, `The manifest of ${manifest.id} does not name ${value}.`);
  const byHost = (manifest.permissions.network ?? []).filter(({ host }) => covers(host, asked.host, manifest.id));
  if (byHost.length === 0) throw refused("HOST", asked.host);
  // An operator who allows host and port by name has named the port for those plugins that may go anywhere.
  const byPort = byHost.filter(({ host, ports }) => ports.includes(asked.port) || (host === "*" && asked.trusted));
  if (byPort.length === 0) throw refused("PORT", `port ${asked.port} of ${asked.host}`);
  if (!byPort.some(({ methods }) => methods.includes(asked.method))) throw refused("METHOD", `${asked.method} for ${asked.host}`);
}

/** `*` is for the platform's own plugins, whose ids are one word. */
function covers(pattern: string, host: string, id: string): boolean {
  if (pattern === "*") return !id.includes(".");
  if (pattern.startsWith("*.")) return literal(host) === null && host.endsWith(`.${asHost(pattern.slice(2))}`);
  return asHost(pattern) === host;
}

/** As a URL spells it: `BÜCHER.example` is `xn--bcher-kva.example`. */
function asHost(declaredHost: string): string {
  const url = URL.parse(`http://${declaredHost}`);
  return url === null ? "" : nameOf(url.hostname);
}
