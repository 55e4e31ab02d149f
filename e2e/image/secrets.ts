// What an operator makes before the first start, each secret a file of its own as a cluster mounts it; a role is mounted only its own.
import { randomBytes } from "node:crypto";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeSealKeys } from "@woml/boot";
import { mintKey } from "@woml/control";
import type { Ways } from "./container.ts";

type Role = "migrate" | "control" | "engine" | "sandbox" | "plugin-host";
export interface Secrets {
  readonly admin: string;
  /** Texts that no process may say. */
  readonly hidden: readonly string[];
  /** What a role is given: its folder of secrets, and the variables that name them. */
  waysOf(role: Role): Required<Pick<Ways, "env" | "folders">>;
}

export function layOut(folder: string, ownerUrl: string): Secrets {
  const word = (): string => randomBytes(24).toString("base64url");
  const [control, engine, scripts, plugins, admin, seal] = [word(), word(), word(), word(), mintKey().text, makeSealKeys()];
  const lines = { sandbox: { WOML_SANDBOX_LINE_SECRET: scripts }, "plugin-host": { WOML_PLUGIN_HOST_LINE_SECRET: plugins } };
  const as = (user: string, password: string): string => Object.assign(new URL(ownerUrl), { username: user, password }).href;
  const [controlUrl, engineUrl] = [as("woml_control", control), as("woml_engine", engine)];
  const given: Readonly<Record<Role, Readonly<Record<string, string>>>> = {
    migrate: { WOML_DATABASE_URL: ownerUrl, WOML_CONTROL_DATABASE_URL: controlUrl, WOML_ENGINE_DATABASE_URL: engineUrl },
    control: { WOML_DATABASE_URL: controlUrl, WOML_BOOTSTRAP_ADMIN_KEY: admin },
    engine: { WOML_DATABASE_URL: engineUrl, WOML_SEAL_PRIVATE_KEY: seal.privateKey, ...lines.sandbox, ...lines["plugin-host"] },
    ...lines,
  };
  for (const [role, secrets] of Object.entries(given)) write(join(folder, role), secrets);
  const files = (role: Role) => Object.keys(given[role]).map((name) => [`${name}_FILE`, `/run/woml/${name}`] as const);
  const open: Partial<Record<Role, Readonly<Record<string, string>>>> = { control: { WOML_SEAL_PUBLIC_KEY: seal.publicKey } };
  return {
    admin,
    hidden: [control, engine, scripts, plugins, admin, seal.privateKey, new URL(ownerUrl).password],
    waysOf: (role) => ({ env: { ...open[role], ...Object.fromEntries(files(role)) }, folders: { "/run/woml": join(folder, role) } }),
  };
}

/** Readable for the user inside, who is another one than ours. */
function write(folder: string, secrets: Readonly<Record<string, string>>): void {
  mkdirSync(folder, { recursive: true });
  for (const [name, value] of Object.entries(secrets)) {
    writeFileSync(join(folder, name), `${value}\n`);
    chmodSync(join(folder, name), 0o444);
  }
}
