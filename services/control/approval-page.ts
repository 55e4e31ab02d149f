import type { Held } from "./approval-token.ts";

/** What a browser may do with the page: show it, and send its form back here. It tells no other page where it came from. */
export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "x-robots-tag": "noindex",
};

/** An approval, and the two buttons where it can still be decided: only the form that they send decides anything. */
export function approvalPage({ approval, run, key, name, description, isOpen, isTokenOver }: Held): string {
  const title = name ?? key.site;
  const until = approval.deadlineAt === null ? "" : `<p>It waits until ${escaped(approval.deadlineAt)}.</p>`;
  const form = `<form method="post"><button name="decision" value="approved">Approve</button>
<button name="decision" value="rejected">Reject</button></form>`;
  const about = `<p>Workflow ${escaped(run.workflow)}, asked for at ${escaped(approval.requestedAt)}.</p>`;
  const text = description === null ? "" : `<p>${escaped(description)}</p>`;
  return page(title, `${text}${about}${isOpen ? until + form : `<p><b>${escaped(standing(approval, isTokenOver))}</b></p>`}`);
}

export const decidedPage = (decision: string): string => page("Thank you", `<p>It is ${escaped(decision)}.</p>`);

export const refusedPage = (message: string, code: string): string =>
  page("This cannot be decided here", `<p>${escaped(message)}</p><p>${escaped(code)}</p>`);

function standing({ status, decidedAt }: Held["approval"], isTokenOver: boolean): string {
  if (decidedAt !== null) return `It was ${status} at ${decidedAt}.`;
  if (status === "waiting" && isTokenOver) return "This link is older than a day: it can be decided with a key only.";
  return status === "cancelled" ? "The run has ended, and nobody is asked any more." : "Its time is over: nobody had decided.";
}

function page(title: string, body: string): string {
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${escaped(title)}</title><style>body{font:16px/1.5 sans-serif;max-width:36em;margin:4em auto;padding:0 1em}button{font:inherit;padding:.5em 1.5em}</style>
<h1>${escaped(title)}</h1>${body}</html>`;
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);
}
