import type { Manifest } from "../manifest.ts";

const READS = new Set(["GET", "HEAD", "OPTIONS"]);
const LABEL = "[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?";
/** As the broker compares it: lower case, no port, no dot at the end. IPv4 addresses have this form too. */
const HOST = new RegExp(`^${LABEL}(?:\\.${LABEL})*$`);
/** At least two labels below the star: `*.example` would be a whole country's. */
const WILDCARD = new RegExp(`^\\*\\.${LABEL}(?:\\.${LABEL})+$`);
/** Suffixes under which strangers register names, so that a star right below one would be everybody. The common ones; a reviewer knows more. */
const SHARED =
  /^\*\.(?:(?:co|com|net|org|gov|edu|ac)\.[a-z]{2}|github\.io|gitlab\.io|herokuapp\.com|vercel\.app|netlify\.app|pages\.dev|workers\.dev|web\.app|firebaseapp\.com|azurewebsites\.net|cloudfront\.net|amazonaws\.com|blogspot\.com)$/;

/** Where a plugin may not ask to go. */
export function* networkComplaints({ id, permissions, operations }: Manifest): Generator<string> {
  for (const [index, { host, methods }] of (permissions.network ?? []).entries()) {
    const path = `permissions.network[${index}]`;
    const fault = hostFault(host, id);
    if (fault !== null) yield `${path}: ${fault}`;
    const writes = methods.filter((method) => !READS.has(method));
    if (writes.length > 0 && isPure(operations)) yield `${path}: every operation is pure, and ${writes.join(", ")} could not be`;
  }
}

function hostFault(host: string, id: string): string | null {
  if (host === "*") return id.includes(".") ? "only the platform's own plugins (ids of one word) may go anywhere" : null;
  if (!host.startsWith("*"))
    return HOST.test(host) ? null : `${JSON.stringify(host)} is no host: lower case, without scheme, port and path`;
  if (!WILDCARD.test(host)) return `${JSON.stringify(host)}: a wildcard is "*." and at least two labels`;
  return SHARED.test(host) ? `${JSON.stringify(host)}: strangers can register names there` : null;
}

const isPure = (operations: Manifest["operations"]): boolean => Object.values(operations).every(({ effect }) => effect === "pure");
