import { type Client, openClient } from "@woml/client";
import { type Command, Option } from "commander";
import { Ending, EXIT } from "../exit.ts";
import { allOf } from "../pages.ts";
import { addPlaceOptions, findPlace, type PlaceOptions } from "../place.ts";
import type { Settle } from "../program.ts";
import { note, say, sayJson } from "../terminal.ts";

interface SmokeOptions extends PlaceOptions {
  readonly tenant: string;
  readonly output: "json" | "table";
}
interface Smoke {
  readonly run: string;
  readonly status: string;
  readonly result: unknown;
  readonly tookMs: number;
}

const LIMIT_MS = 120_000;
const POLL_MS = 100;
/** Through every part: a script, a choice on what it made, and a second script that sees both. */
const WORKFLOW = `<woml><workflow id="woml-smoke" name="Smoke test"><triggers><manual id="go"/></triggers><steps>
  <step id="double"><script>return context.payload.n * 2;</script></step>
  <step id="answer" retry="3"><script>return { n: context.payload.n, doubled: context.steps.double };</script></step>
</steps></workflow></woml>`;
const N = 21;

/** `woml smoke`: what `helm test` runs. */
export function addSmoke(program: Command, settle: Settle): void {
  addPlaceOptions(program.command("smoke"))
    .description("Publishes a small workflow and runs it: shows that control, engine, sandbox and database work together.")
    .option("--tenant <name>", "with the administrator's key: the tenant it is done in, made where it is missing", "woml-smoke")
    .addOption(new Option("-o, --output <format>", "how to say it").choices(["table", "json"]).default("table"))
    .action(async (options: SmokeOptions) => {
      const { url, key } = await findPlace(options, "admin");
      const asked = openClient(url, key);
      const { tenant } = await asked.me();
      const smoke = tenant === null ? await asAdmin(asked, url, options.tenant) : await tryOut(asked);
      if (options.output === "json") sayJson(smoke);
      else say(`run     ${smoke.run}\nstatus  ${smoke.status}\nresult  ${JSON.stringify(smoke.result)}\ntook    ${smoke.tookMs} ms`);
      const wanted = JSON.stringify({ n: N, doubled: 2 * N });
      settle(smoke.status === "succeeded" && JSON.stringify(smoke.result) === wanted ? EXIT.ok : EXIT.failed);
    });
}

/** With a key of the tenant's that is made for this and taken back. */
async function asAdmin(admin: Client, url: string, name: string): Promise<Smoke> {
  const tenants = await allOf((page) => admin.tenants(page));
  const tenant = tenants.find((one) => one.name === name) ?? (await admin.createTenant(name)).tenant;
  const { id, key } = await admin.createKey({ tenant: tenant.id });
  try {
    return await tryOut(openClient(url, key));
  } finally {
    await admin.revokeKey(id);
  }
}

async function tryOut(client: Client): Promise<Smoke> {
  const { version, diagnostics } = await client.publish({ files: [{ path: "woml-smoke.woml", text: WORKFLOW }] });
  if (version === null) throw new Error(`the platform does not take its own smoke test: ${JSON.stringify(diagnostics)}`);
  note(`published ${version}`);
  const began = performance.now();
  const { run } = await client.startRun({ workflow: "woml-smoke", version, payload: { n: N }, labels: ["smoke"] });
  note(`started ${run.id}`);
  for (;;) {
    const seen = await client.summary(run.id);
    const tookMs = Math.round(performance.now() - began);
    if (seen && ["succeeded", "failed", "cancelled"].includes(seen.status)) return ended(client, run.id, tookMs);
    if (tookMs > LIMIT_MS) throw new Ending(EXIT.failed, "WOML_SMOKE_UNFINISHED", stillOpen(run.id, seen));
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

async function ended(client: Client, id: string, tookMs: number): Promise<Smoke> {
  const view = await client.run(id);
  return { run: id, status: view?.status ?? "gone", result: view?.result ?? view?.failure ?? null, tookMs };
}

function stillOpen(id: string, seen: { readonly status: string; readonly waiting?: unknown } | null): string {
  return `The run ${id} has not ended in ${LIMIT_MS / 1_000} s: ${JSON.stringify(seen)}.`;
}
