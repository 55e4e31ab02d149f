// buildah and podman, as they are called here.
import { spawnSync } from "node:child_process";
import { join } from "node:path";

const has = (tool: string): boolean => spawnSync(tool, ["--version"], { stdio: "ignore" }).error === undefined;

/** chroot needs no right that a container in a container lacks; the settings are for runc alone. */
export const AROUND: NodeJS.ProcessEnv = {
  ...process.env,
  BUILDAH_ISOLATION: "chroot",
  ...(has("runc") ? { CONTAINERS_CONF: join(import.meta.dirname, "containers.conf") } : {}),
};

/** Why there is none on this machine, or null. */
export function lacks(tool: "buildah" | "podman"): string | null {
  return has(tool) ? null : `${tool} is not there: apt-get install --no-install-recommends buildah podman runc`;
}

export interface Told {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export function ask(tool: string, args: readonly string[], cwd?: string): Told {
  const { status, stdout, stderr } = spawnSync(tool, args, { cwd, env: AROUND, encoding: "utf8", maxBuffer: 64 * 1_024 * 1_024 });
  return { code: status, stdout, stderr };
}

/** What it says, without the line break at its end. Throws where it fails. */
export function tell(tool: string, args: readonly string[], cwd?: string): string {
  const { code, stdout, stderr } = ask(tool, args, cwd);
  if (code !== 0) throw new Error(`${tool} ${args.join(" ")} ended with ${code}: ${stderr.trim()}`);
  return stdout.trimEnd();
}
