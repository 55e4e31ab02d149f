import { createHash } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { canonical } from "@woml/model";
import { openPluginHost, startPluginHost } from "@woml/plugin-host";
import { type Given, pluginContract } from "./plugin-contract.ts";
import { hostDouble } from "./plugin-double.ts";

const sha256 = (content: string): string => `sha256:${createHash("sha256").update(content).digest("hex")}`;

pluginContract("the double", async () => {
  const host = hostDouble(() => Date.now());
  let count = 0;
  host.act = async ({ input }) => {
    const { ms = 0 }: { ms?: number } = JSON.parse(input);
    await new Promise((resolve) => void setTimeout(resolve, ms));
    count += 1;
    return { status: "succeeded", result: JSON.stringify({ count }), evidence: "" };
  };
  host.find = async () => ({ status: "succeeded", result: '"found"' });
  return { host, release: sha256("double"), close: async () => undefined };
});

const described = { input: {}, output: {}, timeoutMs: 10_000, maxInputBytes: 1_000, maxOutputBytes: 1_000 };
const acting = { ...described, effect: "reattachable", status: { pendingMaxMs: 60_000 } };
const itself = { id: "test.contract", version: "1.0.0", publisher: "tests", permissions: {} };
const artefact = `import { definePlugin } from "@woml/capability";
let count = 0;
const wait = (ms = 0) => new Promise((resolve) => setTimeout(resolve, ms));
const perform = async ({ ms }) => { await wait(ms); count += 1; return { count }; };
export default definePlugin({ ...${JSON.stringify(itself)}, operations: {
  act: { ...${JSON.stringify(acting)}, perform, reattach: async () => ({ status: "succeeded", result: "found" }) },
  look: { ...${JSON.stringify({ ...described, effect: "pure" })}, perform },
} });`;

pluginContract("the supervisor and its plugins", async (): Promise<Given> => {
  const home = mkdtempSync(join(tmpdir(), "woml-contract-"));
  const operations = { act: acting, look: { ...described, effect: "pure" } };
  const manifest = canonical({ manifestVersion: 1, contract: 1, ...itself, operations });
  const release = sha256(canonical({ artefact: sha256(artefact), manifest: sha256(manifest) }));
  const supervisor = await startPluginHost({ socket: join(home, "s") });
  const host = await openPluginHost(supervisor.socket, {
    release: async (digest) => (digest === release ? { digest, manifest, artefact: Buffer.from(artefact) } : null),
  });
  const close = async (): Promise<void> => {
    await host.close();
    await supervisor.stop();
    rmSync(home, { recursive: true, force: true });
  };
  return { host, release, close };
});
