// Who sends slowly, and need not be anybody, keeps nobody waiting who sends at once.
import assert from "node:assert/strict";
import { connect } from "node:net";
import { after, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { HOOK_BODIES, HOOK_BODY_MS } from "../limits.ts";
import { hooked } from "./hooked.ts";
import { openForFile, publishText } from "./opened.ts";

const opened = await openForFile();
const owner = await opened.tenant("patient");
const { origin, hostname, port } = new URL(opened.url);
const place = `/t/${owner.id}/hooks/busy`;

/** Sends all of a request but the end of its body. */
function dawdle(): void {
  const socket = connect(Number(port), hostname);
  socket.on("error", () => {});
  const heads = ["host: x", "content-type: application/json", "content-length: 100"];
  socket.write(`POST ${place} HTTP/1.1\r\n${heads.join("\r\n")}\r\n\r\n{`);
  after(() => socket.destroy());
}

test("a webhook is taken while more than all places for bodies could be held by bodies that do not come", async () => {
  await publishText(owner, hooked("busy"));
  for (let nth = 0; nth < 2 * HOOK_BODIES.inside; nth++) dawdle();
  await sleep(500);
  const signal = AbortSignal.timeout(HOOK_BODY_MS / 2);
  const answer = await fetch(`${origin}${place}`, { method: "POST", body: "{}", headers: { "content-type": "application/json" }, signal });
  assert.equal(answer.status, 202);
});
