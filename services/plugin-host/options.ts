/** What an operator sets, and what tests make shorter. Times in ms. */
export interface HostOptions {
  /** An unused process ends after this. */
  readonly idleMs: number;
  readonly processes: number;
  readonly processesPerTenant: number;
  /** Resident memory of a process, MiB; over it, it is killed. */
  readonly rssMb: number;
  /** How long results are kept after a call has ended. */
  readonly keptMs: number;
  readonly startMs: number;
  readonly pingEveryMs: number;
  readonly pongWithinMs: number;
  /** First pause after a crash; each further one doubles it. */
  readonly pauseMs: number;
  readonly logLevel: "debug" | "warn" | "error";
  /** `host:port` whose private address is allowed. */
  readonly privateHosts: readonly string[];
  /** Names of the platform itself, which no plugin may reach. */
  readonly ownHosts: readonly string[];
  /** Further certificate authorities, PEM. */
  readonly authorities: readonly string[];
}

const DEFAULT_OPTIONS: HostOptions = {
  idleMs: 60_000,
  processes: 16,
  processesPerTenant: 8,
  rssMb: 256,
  keptMs: 15 * 60_000,
  startMs: 15_000,
  pingEveryMs: 2_000,
  pongWithinMs: 5_000,
  pauseMs: 100,
  logLevel: "warn",
  privateHosts: [],
  ownHosts: [],
  authorities: [],
};

/** From a command line. Throws where it is not an object, or a member is unknown or of another kind than the default's. */
export function hostOptions(text: string): HostOptions {
  const given: unknown = JSON.parse(text);
  if (typeof given !== "object" || given === null || Array.isArray(given)) throw new Error("The plugin host's options are no object.");
  for (const [name, value] of Object.entries(given)) {
    const usual = (DEFAULT_OPTIONS as unknown as Readonly<Record<string, unknown>>)[name];
    if (usual === undefined || !alike(usual, value)) throw new Error(`The plugin host has no option ${name} like this.`);
  }
  return { ...DEFAULT_OPTIONS, ...given };
}

function alike(usual: unknown, value: unknown): boolean {
  if (Array.isArray(usual)) return Array.isArray(value) && value.every((one) => typeof one === "string");
  if (typeof usual === "number") return Number.isSafeInteger(value) && Number(value) > 0;
  return value === "debug" || value === "warn" || value === "error";
}
