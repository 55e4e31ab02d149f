import type { Response } from "./answer.ts";
import { type Loss, Refusal } from "./answer.ts";
import { type Composing, compose, redirected, type Wire } from "./compose.ts";
import { decoded } from "./decode.ts";
import { connect, type Dialling } from "./dial.ts";
import { type Answer, exchange, type Progress } from "./exchange.ts";
import type { Filling } from "./fill.ts";
import { type Place, permit, type Rules } from "./permit.ts";
import type { Asked } from "./request.ts";

interface Following {
  readonly asked: Asked;
  readonly rules: Rules;
  readonly dialling: Dialling;
  readonly composing: Omit<Composing, "asked" | "url">;
  /** `judging` knows no value; `real` is used when everything else has been checked. */
  readonly judging: Filling;
  readonly real: Filling;
  readonly progress: Progress;
  /** Why nothing more may leave, or null. */
  readonly late: () => Loss | null;
  readonly signal: AbortSignal;
}
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** Goes where the request goes, and on where it is sent, each hop by all the rules. */
export async function follow(following: Following): Promise<Response> {
  const { asked, rules, dialling, composing, progress, late, signal } = following;
  const follows = asked.redirect === "follow" && (asked.method === "GET" || asked.method === "HEAD");
  let place = permit(asked.url, asked.method, rules);
  let wire: Wire | null = null;
  const written = (): Wire => compose({ ...composing, asked, url: place.url }, following.real);
  compose({ ...composing, asked, url: place.url }, following.judging);
  for (let hops = 0; ; hops++) {
    const connected = await connect(place, dialling, signal);
    const origin = place.url.origin;
    let answer: Answer;
    try {
      wire ??= written();
      answer = await exchange({ connected, origin, wire, maxBytes: asked.maxResponseBytes, progress, late, signal });
    } finally {
      connected.socket.destroy();
    }
    const url = new URL(origin + wire.path);
    const location = REDIRECTS.has(answer.status) ? answer.headers.get("location") : undefined;
    if (location === undefined || asked.redirect === "manual" || (asked.redirect === "follow" && !follows)) {
      return told(await decoded(answer, asked.maxResponseBytes), url, hops > 0);
    }
    if (!follows) throw refused("the request does not allow one");
    if (hops >= asked.maxRedirects) throw refused(`more than ${asked.maxRedirects} in a row`);
    place = next(location, url, asked.method, rules);
    wire = redirected(wire, url, place.url);
  }
}

function next(location: string, from: URL, method: string, rules: Rules): Place {
  const to = URL.parse(location, from);
  if (to === null) throw refused("its target cannot be read");
  if (from.protocol === "https:" && to.protocol === "http:") throw refused("it leads from https to http");
  return permit(to.href, method, rules);
}

function told(answer: Answer, url: URL, wasRedirected: boolean): Response {
  const { status, headers, body } = answer;
  return { status, headers: Object.fromEntries(headers), bodyBase64: body.toString("base64"), url: url.href, redirected: wasRedirected };
}

function refused(why: string): Refusal {
  return new Refusal("WOML_EGRESS_REDIRECT_REFUSED", `The server answered with a redirect: ${why}.`);
}
