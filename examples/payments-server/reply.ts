import type { ServerResponse } from "node:http";
import { type Answer, refusal } from "./books.ts";
import type { Fault } from "./fault.ts";

export function send(response: ServerResponse, { status, body }: Answer): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

/** An answer to which a fault happens; `act` does what was asked. */
export async function faulty({ kind, ms = 0, status = 500 }: Fault, act: () => Answer, response: ServerResponse): Promise<void> {
  switch (kind) {
    case "lose-request":
      response.destroy();
      return;
    case "lose-answer":
      act();
      response.destroy();
      return;
    case "late":
      response.destroy();
      await pause(ms);
      act();
      return;
    case "slow":
      await pause(ms);
      return send(response, act());
    case "delay": {
      const answer = act();
      await pause(ms);
      return send(response, answer);
    }
    case "double":
      act();
      return send(response, act());
    case "break":
      act();
      if (status === 200) response.writeHead(200, { "content-type": "application/json" }).end("<html>");
      else send(response, refusal(status, "broken"));
      return;
    case "answer":
      return send(response, refusal(status, "refused"));
    case "pending":
      return send(response, { status: 200, body: { status: "pending" } });
    case "cannot-tell":
      return send(response, refusal(500, "cannot_tell"));
    case "not-found":
      return send(response, refusal(404, "not_found"));
  }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
