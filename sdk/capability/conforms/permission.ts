import type { Manifest } from "../manifest.ts";
import type { HttpRequest } from "../plugin.ts";

/** Why the egress broker would refuse a request by the manifest alone, or null. */
export function permissionFault({ permissions }: Manifest, { url, method = "GET", headers = {} }: HttpRequest): string | null {
  const [, scheme, host = "", port] = /^(https?):\/\/([a-z0-9.-]+)(?::(\d+))?(?:[/?#]|$)/i.exec(url) ?? [];
  if (scheme === undefined) return `${url} is no address of http or https`;
  const asked = Number(port ?? (scheme.toLowerCase() === "https" ? 443 : 80));
  const allowed = (permissions.network ?? []).filter(({ host: pattern }) => covers(pattern, host.toLowerCase()));
  if (!allowed.some(({ ports, methods }) => ports.includes(asked) && methods.includes(method))) {
    return `${method} ${host}:${asked} is not declared in permissions.network`;
  }
  const declared = (permissions.secrets ?? []).map(({ name }) => name);
  for (const value of Object.values(headers)) {
    if (typeof value === "object" && !declared.includes(value.secret)) return `${value.secret} is not declared in permissions.secrets`;
  }
  return null;
}

const covers = (pattern: string, host: string): boolean =>
  pattern === "*" || (pattern.startsWith("*.") ? host.endsWith(pattern.slice(1)) : pattern === host);
