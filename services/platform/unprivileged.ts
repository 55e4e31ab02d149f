import { type ChildProcess, type SpawnOptions, spawn, spawnSync } from "node:child_process";
import { Refusal } from "./refusal.ts";

const NOBODY = 65_534;
/**
 * PostgreSQL refuses uid 0. `nobody` exists everywhere; dac_override lets it pass through a home closed to others,
 * and no_setuid_fixup makes access(2), which initdb asks, count that capability.
 */
const AS_NOBODY: readonly string[] = [
  `--reuid=${NOBODY}`,
  `--regid=${NOBODY}`,
  "--clear-groups",
  "--inh-caps=+dac_override",
  "--ambient-caps=+dac_override",
  "--securebits=+no_setuid_fixup",
];

/** Who owns what an unprivileged program writes: null means we are that user ourselves. */
export const owner: number | null = process.getuid?.() === 0 ? NOBODY : null;
const drop: readonly string[] = owner === null ? [] : AS_NOBODY;

let probed: boolean | undefined;

/** util-linux' setpriv with all that is asked of it: absent on macOS, powerless where a container took CAP_DAC_OVERRIDE away. */
function setprivWorks(): boolean {
  probed ??= spawnSync("setpriv", [...drop, "--pdeathsig=INT", "--", "true"], { stdio: "ignore" }).status === 0;
  return probed;
}

export interface Program {
  readonly command: string;
  readonly flags: readonly string[];
  /** Sent by the kernel when we die, however (Linux): nothing outlives a killed platform. */
  readonly deathSignal: "INT" | "KILL";
  readonly options: SpawnOptions;
}

/** Starts it as an ordinary user, with an environment of its own and out of reach of the terminal's Ctrl-C. */
export function spawnUnprivileged({ command, flags, deathSignal, options }: Program): ChildProcess {
  const env = { PATH: process.env["PATH"] ?? "/usr/local/bin:/usr/bin:/bin", LC_ALL: "C", TZ: "UTC" };
  const settings: SpawnOptions = { ...options, env, detached: true, cwd: "/" };
  if (setprivWorks()) return spawn("setpriv", [...drop, `--pdeathsig=${deathSignal}`, "--", command, ...flags], settings);
  if (owner === null) return spawn(command, flags, settings);
  const way = "start it as an ordinary user, or name a PostgreSQL of your own in WOML_DATABASE_URL";
  throw new Refusal("WOML_POSTGRES_UNAVAILABLE", `PostgreSQL refuses to run as root and setpriv cannot make it another user here: ${way}.`);
}
