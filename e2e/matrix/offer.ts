// The plugin of the matrix, handed in, approved by somebody else and granted; and the workflows that use it.
import { readFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { join } from "node:path";
import type { Api } from "./api.ts";

const SUBMIT = `mutation ($input: SubmitPluginInput!) { submitPlugin(input: $input) { complaints
  release { release artefactDigest manifestDigest } } }`;
const APPROVE = `mutation ($input: ApprovePluginInput!) { approvePlugin(input: $input) { release { release } } }`;
const GRANT = `mutation ($input: PluginGrantInput!) { grantPlugin(input: $input) { changed } }`;
const PUBLISH = `mutation ($input: PublishInput!) { publish(input: $input) { version diagnostics { code message } } }`;

interface Offering {
  readonly admin: string;
  readonly tenant: string;
  readonly port: number;
  readonly manifest: unknown;
}
export interface Offered {
  readonly release: string;
}
interface Submitted {
  readonly submitPlugin: {
    readonly complaints: readonly string[];
    readonly release: { readonly release: string; readonly artefactDigest: string; readonly manifestDigest: string } | null;
  };
}

export async function offer(api: Api, { admin, tenant, port, manifest }: Offering): Promise<Offered> {
  const text = `${stripTypeScriptTypes(readFileSync(join(import.meta.dirname, "plugin.ts"), "utf8"))}\nexport default bank(${port});\n`;
  const artefact = Buffer.from(text).toString("base64");
  const { submitPlugin } = await api.ask<Submitted>(SUBMIT, { input: { manifest, artefact } });
  const { release, complaints } = submitPlugin;
  if (release === null) throw new Error(complaints.join("; "));
  await api.ask(APPROVE, { input: release }, admin);
  await api.ask(GRANT, { input: { tenant, capability: "acme.bank" } }, admin);
  for (const workflow of Object.keys(SCRIPTS)) await publish(api, workflow);
  return release;
}

const AGAIN = 'retry="3" retry-backoff="fixed" retry-delay="1s"';

/** Each is a workflow of one step. `payload.case` names the case; `payload.waitMs` is how long the script waits before it calls. */
const SCRIPTS: Readonly<Record<string, { readonly script: string; readonly step?: string }>> = {
  pure: one("pure"),
  keyed: one("keyed"),
  brief: one("brief"),
  reattachable: one("reattachable"),
  unsafe: one("unsafe"),
  patient: { ...one("keyed"), step: AGAIN },
  wrapped: {
    step: AGAIN,
    script: `try { return await services.bank.unsafe({ case: context.payload.case }); }
      catch (error) { throw new Error("something else", { cause: error }); }`,
  },
  wrapping: { ...one("wrapping"), step: AGAIN },
  race: {
    script: `const slow = services.bank.keyed({ case: context.payload.case + "/slow" });
      const timer = new Promise((resolve) => setTimeout(() => resolve({ id: "timer" }), 300));
      const { id } = await Promise.race([slow, timer]);
      const branch = id === "timer" ? "timer" : "answer";
      const after = await services.bank.unsafe({ case: context.payload.case + "/" + branch });
      return { branch, after: after.id, slow: (await slow).id };`,
  },
};

function one(operation: string): { readonly script: string } {
  return {
    script: `const { case: name, waitMs } = context.payload;
      if (waitMs) await new Promise((resolve) => setTimeout(resolve, waitMs));
      return await services.bank.${operation}({ case: name });`,
  };
}

async function publish(api: Api, workflow: string): Promise<void> {
  const { script = "", step = "" } = SCRIPTS[workflow] ?? {};
  const text = `<woml>
  <imports><uses capability="acme.bank" version="^1" as="bank" /></imports>
  <workflow id="${workflow}">
    <config timeout="5m" />
    <triggers><manual id="go" /></triggers>
    <steps><step id="act" ${step}><script>${script}</script></step></steps>
  </workflow>
</woml>`;
  const input = { files: [{ path: `${workflow}.woml`, text }] };
  const { publish: published } = await api.ask<{ publish: { version: string | null; diagnostics: unknown } }>(PUBLISH, { input });
  if (published.version === null) throw new Error(`${workflow}: ${JSON.stringify(published.diagnostics)}`);
}
