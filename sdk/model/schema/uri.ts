/** RFC 3986, appendix B; each part with the character that marks it. The fragment is not among them. */
const PARTS = /^([^:/?#]+:)?(\/\/[^/?#]*)?([^?#]*)(\?[^#]*)?/;

/** An address as seen from another (RFC 3986, 5.2.2), without fragments. Either may be relative, and empty. */
export function resolveUri(from: string, address: string): string {
  const [, scheme, authority, path = "", query = ""] = PARTS.exec(address) ?? [];
  const [, fromScheme = "", fromAuthority = "", fromPath = "", fromQuery = ""] = PARTS.exec(from) ?? [];
  if (scheme !== undefined) return `${scheme}${authority ?? ""}${withoutDots(path)}${query}`;
  if (authority !== undefined) return `${fromScheme}${authority}${withoutDots(path)}${query}`;
  const origin = `${fromScheme}${fromAuthority}`;
  if (path === "") return `${origin}${fromPath}${query || fromQuery}`;
  if (path.startsWith("/")) return `${origin}${withoutDots(path)}${query}`;
  const folder = fromPath.slice(0, fromPath.lastIndexOf("/") + 1) || (fromAuthority ? "/" : "");
  return `${origin}${withoutDots(folder + path)}${query}`;
}

/** RFC 3986, 5.2.4. */
function withoutDots(path: string): string {
  if (!path.includes(".")) return path;
  const kept: string[] = [];
  const segments = path.split("/");
  for (const [at, segment] of segments.entries()) {
    const isLast = at === segments.length - 1;
    if (segment === ".." && kept.length > (path.startsWith("/") ? 1 : 0)) kept.pop();
    if (segment !== "." && segment !== "..") kept.push(segment);
    else if (isLast) kept.push("");
  }
  return kept.join("/");
}
