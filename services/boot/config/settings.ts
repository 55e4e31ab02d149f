// Every setting of every process of a cluster, once. `woml ROLE --print-config` prints it, docs/configuration.md lists it, and the chart's
// environments are held against it. Names ending in _URL, _KEY or _SECRET of a kind that opens something are secret: never printed or logged.
import { choice, flag, folder, headers, list, type Read, sealing, shared, text, unsealing, whole } from "./kind.ts";
import { type Address, address, authority, database, endpoint, host, place, redis } from "./place.ts";

export const ROLES = ["control", "engine", "sandbox", "plugin-host", "migrate"] as const;
export type Role = (typeof ROLES)[number];

export interface Setting<T> {
  readonly read: Read<T>;
  readonly roles: readonly Role[];
  /** As its text would be. Absent: it has to be given, unless it may be left out. */
  readonly usual?: string | Partial<Record<Role, string>>;
  readonly mayLack?: true;
  /** Opens something. May also come from a file that `NAME_FILE` names, and is shown as `***`. */
  readonly isSecret?: true;
  /** Has no entry in common with that other setting, where one process reads both. */
  readonly unlike?: string;
  readonly says: string;
}

const SERVERS = ["control", "engine", "sandbox", "plugin-host"] as const;
const setting = <T, const S extends Omit<Setting<T>, "read">>(read: Read<T>, rest: S): S & { readonly read: Read<T> } => ({
  read,
  ...rest,
});
const port = (control: number, sandbox: number, plugins: number) =>
  ({ control: `127.0.0.1:${control}`, sandbox: `127.0.0.1:${sandbox}`, "plugin-host": `127.0.0.1:${plugins}` }) as const;

export const SETTINGS = {
  WOML_LOG: setting(choice("fatal", "error", "warn", "info", "debug", "silent"), {
    ...{ roles: ROLES, usual: "info" },
    says: "what is logged, as JSON lines on stderr",
  }),
  WOML_LISTEN: setting<Address, Omit<Setting<Address>, "read">>(address, {
    ...{ roles: ["control", "sandbox", "plugin-host"], usual: port(7330, 7331, 7332) },
    says: "where it is asked: GraphQL of control, the engines' lines of sandbox and plugin host",
  }),
  WOML_PUBLIC_URL: setting(endpoint, {
    ...{ roles: ["control"], mayLack: true },
    says: "how control is reached from outside, such as https://woml.example.com: addresses of webhooks begin with it; by default where it listens",
  }),
  WOML_HEALTH_LISTEN: setting(address, {
    ...{ roles: SERVERS, usual: "127.0.0.1:9464" },
    says: "where /health/live, /health/ready and /metrics answer, without a key",
  }),
  WOML_DATABASE_URL: setting(database, {
    ...{ roles: ["control", "engine", "migrate"], isSecret: true },
    says: "PostgreSQL: for control as woml_control, for the engine as woml_engine, for migrate as the owner",
  }),
  WOML_DATABASE_SET_ROLE: setting(flag, {
    ...{ roles: ["control", "engine"], usual: "off" },
    says: "on: the URL names one user for all, and the session takes its service's role with SET ROLE",
  }),
  WOML_CONTROL_DATABASE_URL: setting(database, {
    ...{ roles: ["migrate"], isSecret: true, mayLack: true },
    says: "control's URL: its password becomes that of woml_control",
  }),
  WOML_ENGINE_DATABASE_URL: setting(database, {
    ...{ roles: ["migrate"], isSecret: true, mayLack: true },
    says: "the engine's URL: its password becomes that of woml_engine",
  }),
  WOML_REDIS_URL: setting(redis, {
    ...{ roles: ["control", "engine"], isSecret: true, mayLack: true },
    says: "Redis for the doorbell; without it engines find work by looking once a second",
  }),
  WOML_REDIS_PREFIX: setting(text, {
    ...{ roles: ["control", "engine"], usual: "{woml}" },
    says: "what the names of this platform's keys in Redis begin with; in braces, so that a Redis Cluster keeps them together",
  }),
  // Two of them: whoever breaks out of a sandbox holds what the sandbox holds, and must not be able to have a plugin host perform an operation.
  WOML_SANDBOX_LINE_SECRET: setting(list(shared, 4), {
    ...{ roles: ["engine", "sandbox"], isSecret: true },
    says: "proves engines and sandboxes to each other and encrypts their lines; several, separated by commas, while one is replaced",
  }),
  WOML_PLUGIN_HOST_LINE_SECRET: setting(list(shared, 4), {
    ...{ roles: ["engine", "plugin-host"], isSecret: true, unlike: "WOML_SANDBOX_LINE_SECRET" },
    says: "likewise engines and plugin hosts; never one that a sandbox has too",
  }),
  WOML_SANDBOXES: setting(list(place, 64), {
    roles: ["engine"],
    says: "where sandboxes are found, HOST:PORT separated by commas; every address that a name stands for is one",
  }),
  WOML_PLUGIN_HOSTS: setting(list(place, 64), {
    roles: ["engine"],
    says: "where plugin hosts are found, likewise",
  }),
  WOML_SEAL_PUBLIC_KEY: setting(sealing, {
    roles: ["control"],
    says: "seals secrets; made, with the private one, by `woml admin seal-keys`",
  }),
  WOML_SEAL_PRIVATE_KEY: setting(unsealing, {
    ...{ roles: ["engine"], isSecret: true },
    says: "opens sealed secrets",
  }),
  WOML_BOOTSTRAP_ADMIN_KEY: setting(text, {
    ...{ roles: ["control"], isSecret: true, mayLack: true },
    says: "an administrator's key that control takes at its start; made by `woml admin key`",
  }),
  WOML_PRIVATE_HOSTS: setting(list(authority, 64), {
    ...{ roles: ["plugin-host"], mayLack: true },
    says: "HOST:PORT of private places that plugins may reach, separated by commas",
  }),
  WOML_OWN_HOSTS: setting(list(host, 64), {
    ...{ roles: ["plugin-host"], mayLack: true },
    says: "names of the platform itself, which no plugin may reach, separated by commas",
  }),
  WOML_STATE_DIR: setting(folder, {
    ...{ roles: ["sandbox", "plugin-host"], usual: "/tmp" },
    says: "a folder to write to; what is in it is made anew at each start",
  }),
  WOML_DRAIN_DELAY_MS: setting(whole(0, 120_000), {
    ...{ roles: SERVERS, usual: "0" },
    says: "how long it goes on as before once it is told to end, and says that it is not ready",
  }),
  WOML_GRACE_MS: setting(whole(0, 600_000), {
    ...{ roles: SERVERS, usual: "20000" },
    says: "how long, after that, what runs may take to come to its end",
  }),
  WOML_LEASE_MS: setting(whole(1_000, 300_000), {
    ...{ roles: ["engine"], usual: "15000" },
    says: "an engine that is not heard of for so long has lost its runs",
  }),
  WOML_CLOCK_BOUND_MS: setting(whole(0, 60_000), {
    ...{ roles: ["engine"], usual: "500" },
    says: "how far the clocks of two machines may run apart",
  }),
  WOML_DRIVEN_MAX: setting(whole(1, 100_000), {
    ...{ roles: ["engine"], usual: "2000" },
    says: "runs in an engine's memory at once",
  }),
  WOML_SANDBOX_WORKERS: setting(whole(1, 1_024), {
    ...{ roles: ["sandbox"], mayLack: true },
    says: "worker processes in all; by default four for each core, and 8 at least",
  }),
  WOML_SANDBOX_WORKERS_PER_TENANT: setting(whole(1, 1_024), {
    ...{ roles: ["sandbox"], mayLack: true },
    says: "worker processes of one tenant; by default one for each core, and 2 at least",
  }),
  WOML_PLUGIN_PROCESSES: setting(whole(1, 1_024), {
    ...{ roles: ["plugin-host"], usual: "16" },
    says: "plugin processes at once",
  }),
  OTEL_EXPORTER_OTLP_ENDPOINT: setting(endpoint, {
    ...{ roles: ["control", "engine", "plugin-host"], mayLack: true },
    says: "where spans and metrics go by OTLP over HTTP, such as http://collector:4318",
  }),
  OTEL_EXPORTER_OTLP_HEADERS: setting(headers, {
    ...{ roles: ["control", "engine", "plugin-host"], isSecret: true, mayLack: true },
    says: "headers for it, name=value separated by commas",
  }),
} as const;
export type SettingName = keyof typeof SETTINGS;

type Given<N extends SettingName> = (typeof SETTINGS)[N] extends { readonly mayLack: true }
  ? ReturnType<(typeof SETTINGS)[N]["read"]> | undefined
  : ReturnType<(typeof SETTINGS)[N]["read"]>;
type NamesOf<R extends Role> = { [N in SettingName]: R extends (typeof SETTINGS)[N]["roles"][number] ? N : never }[SettingName];
/** What a process of that role was given, read: `settings.WOML_LISTEN.port`. */
export type Settings<R extends Role> = { readonly [N in NamesOf<R>]: Given<N> };
